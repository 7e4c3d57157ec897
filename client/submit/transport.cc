#include "client/submit/transport.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/rpc/address.h"
#include "common/rpc/channel.h"
#include "common/rpc/status.h"
#include "common/rpc/tls.h"
#include "common/task/task.h"
#include "tombola/v1/shuffler.grpc.pb.h"

namespace tombola::client {
namespace {

class GrpcTransport final : public Transport {
 public:
  GrpcTransport(std::string address, const std::shared_ptr<grpc::Channel>& channel)
      : address_(std::move(address)), channel_(channel), stub_(v1::Shuffler::NewStub(channel)) {}

  absl::StatusOr<std::string> GetTask(const TaskId& task, absl::Duration timeout) override {
    v1::GetTaskRequest request;
    request.set_task_id(std::string(AsView(task)));
    TOMBOLA_ASSIGN_OR_RETURN(v1::GetTaskResponse response,
                             Call<v1::GetTaskResponse>(timeout, [&](auto* context, auto* reply) {
                               return stub_->GetTask(context, request, reply);
                             }));
    return std::move(*response.mutable_task());
  }

  absl::StatusOr<v1::SignedKeyList> GetKeyList(absl::Duration timeout) override {
    return Call<v1::SignedKeyList>(timeout, [&](auto* context, auto* reply) {
      return stub_->GetKeyList(context, v1::GetKeyListRequest(), reply);
    });
  }

  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                            absl::Duration timeout) override {
    return Call<v1::SubmitResponse>(timeout, [&](auto* context, auto* reply) {
      return stub_->Submit(context, request, reply);
    });
  }

 private:
  template <typename Response, typename Rpc>
  absl::StatusOr<Response> Call(absl::Duration timeout, Rpc rpc) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
    // While a call waits, its thread drives the connection: a shuffler that restarts is found
    // again.
    context.set_wait_for_ready(true);
    Response response;
    const absl::Status status = rpc::FromGrpc(rpc(&context, &response));
    if (absl::IsDeadlineExceeded(status)) return TooLate();
    TOMBOLA_RETURN_IF_ERROR(status);
    return response;
  }

  // gRPC's own words name neither the shuffler nor the cause.
  absl::Status TooLate() const {
    const bool connected = channel_->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY;
    return absl::DeadlineExceededError(
        connected ? absl::StrCat("the shuffler at ", address_, " did not answer in time")
                  : absl::StrCat("no connection to the shuffler at ", address_));
  }

  const std::string address_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::Shuffler::Stub> stub_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Transport>> ConnectToShuffler(const TransportOptions& options) {
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (options.plain_text_on_loopback) {
    if (!rpc::IsLoopback(options.shuffler)) {
      return absl::InvalidArgumentError(
          "plain_text_on_loopback must be false unless the shuffler's address is loopback");
    }
    credentials = grpc::InsecureChannelCredentials();
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(
        credentials,
        rpc::ChannelTls({.certificate = "", .private_key = "", .roots = options.roots_file}));
  }
  return std::make_unique<GrpcTransport>(
      options.shuffler,
      rpc::OpenChannel(options.shuffler, credentials,
                       {.max_message_bytes = static_cast<int>(kMaxTaskBytes) + (1 << 20),
                        .own_connection = true,  // so that several clients spread over connections
                        .first_backoff = absl::Milliseconds(200),
                        .longest_backoff = absl::Seconds(5)}));
}

}  // namespace tombola::client
