#include "common/rpc/calls_under_way.h"

#include <utility>

#include "common/rpc/connection_calls.h"

namespace tombola::rpc {
namespace {

constexpr uint64_t kAbandoned = uint64_t{1} << 63;

class CountedCall final : public grpc::experimental::Interceptor {
 public:
  CountedCall(std::shared_ptr<CallsUnderWay> calls, const grpc::ServerContextBase& context)
      : calls_(std::move(calls)), of_connection_(context) {
    calls_->Begin();
  }
  ~CountedCall() override { calls_->End(); }

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    methods->Proceed();
  }

 private:
  const std::shared_ptr<CallsUnderWay> calls_;
  const CallOfConnection of_connection_;
};

class CallCounter final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit CallCounter(std::shared_ptr<CallsUnderWay> calls) : calls_(std::move(calls)) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    return new CountedCall(calls_, *call->server_context());  // the call owns it
  }

 private:
  const std::shared_ptr<CallsUnderWay> calls_;
};

}  // namespace

void CallsUnderWay::Begin() { state_.fetch_add(1); }

void CallsUnderWay::End() {
  if ((state_.fetch_sub(1) & ~kAbandoned) == 1) state_.notify_all();
}

bool CallsUnderWay::WaitForNone() {
  while (true) {
    const uint64_t state = state_.load();
    if ((state & ~kAbandoned) == 0) return true;
    if ((state & kAbandoned) != 0) return false;
    state_.wait(state);
  }
}

void CallsUnderWay::Abandon() {
  state_.fetch_or(kAbandoned);
  state_.notify_all();
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> CountCalls(
    std::shared_ptr<CallsUnderWay> calls) {
  return std::make_unique<CallCounter>(std::move(calls));
}

}  // namespace tombola::rpc
