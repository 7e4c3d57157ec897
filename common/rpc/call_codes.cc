#include "common/rpc/call_codes.h"

#include <utility>

namespace tombola::rpc {
namespace {

using grpc::experimental::InterceptionHookPoints;

// Every call of a server has one; the factory, which owns the callback, outlives it.
class WatchedCall final : public grpc::experimental::Interceptor {
 public:
  WatchedCall(const Answered* answered, absl::string_view method)
      : answered_(answered), method_(method) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      (*answered_)(method_, CodeName(methods->GetSendStatus().error_code()));
    }
    methods->Proceed();
  }

 private:
  const Answered* const answered_;
  const std::string method_;
};

class Watch final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Watch(Answered answered) : answered_(std::move(answered)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    absl::string_view method(info->method());
    method.remove_prefix(method.rfind('/') + 1);
    return new WatchedCall(&answered_, method);  // the call owns it
  }

 private:
  const Answered answered_;
};

}  // namespace

absl::string_view CodeName(grpc::StatusCode code) {
  static constexpr absl::string_view kNames[] = {"OK",
                                                 "CANCELLED",
                                                 "UNKNOWN",
                                                 "INVALID_ARGUMENT",
                                                 "DEADLINE_EXCEEDED",
                                                 "NOT_FOUND",
                                                 "ALREADY_EXISTS",
                                                 "PERMISSION_DENIED",
                                                 "RESOURCE_EXHAUSTED",
                                                 "FAILED_PRECONDITION",
                                                 "ABORTED",
                                                 "OUT_OF_RANGE",
                                                 "UNIMPLEMENTED",
                                                 "INTERNAL",
                                                 "UNAVAILABLE",
                                                 "DATA_LOSS",
                                                 "UNAUTHENTICATED"};
  const auto place = static_cast<size_t>(code);
  return place < std::size(kNames) ? kNames[place] : "UNKNOWN";
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> TellAnswered(
    Answered answered) {
  return std::make_unique<Watch>(std::move(answered));
}

}  // namespace tombola::rpc
