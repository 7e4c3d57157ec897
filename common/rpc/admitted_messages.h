// The messages of a unary call on the server, and what the call holds until it is over.
#ifndef TOMBOLA_COMMON_RPC_ADMITTED_MESSAGES_H_
#define TOMBOLA_COMMON_RPC_ADMITTED_MESSAGES_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/message_allocator.h>

#include <optional>
#include <utility>

#include "common/base/fair_share.h"
#include "common/rpc/call_watch.h"

namespace tombola::rpc {

// What AdmittedCall is, for calls that come by the ten thousand. gRPC ends a reactor of ours on
// another thread than the one that found the call over, and waking that thread costs as much as
// half a call; it ends its own default reactor at once. So the call uses that one, and its
// place lives with its messages, which gRPC releases at the same moment: when the answer is sent or
// the call is cancelled. The ticket comes back earlier, with the request: answers are small, and
// one that nobody reads must not be in the way of the next request.
template <typename Request, typename Response>
class AdmittedMessages final : public grpc::MessageHolder<Request, Response> {
 public:
  class Allocator final : public grpc::MessageAllocator<Request, Response> {
   public:
    grpc::MessageHolder<Request, Response>* AllocateMessages() override {
      return new AdmittedMessages;
    }
  };

  // Of a call to a method whose messages this Allocator makes.
  static AdmittedMessages& Of(grpc::CallbackServerContext* context) {
    return *static_cast<AdmittedMessages*>(context->GetRpcAllocatorState());
  }

  // Once, from the method's handler, which returns the reactor. Finish must be called once.
  grpc::ServerUnaryReactor* Admit(FairShare::Ticket ticket, CallWatch* watch,
                                  grpc::CallbackServerContext* context) {
    ticket_ = std::move(ticket);
    place_.emplace(watch, context);
    reactor_ = context->DefaultReactor();
    return reactor_;
  }
  // From any thread, when nobody looks at the request any more. The call may be over, and this
  // gone, when it returns.
  void Finish(const grpc::Status& status) {
    Request().Swap(&request_);
    ticket_ = FairShare::Ticket();
    place_->Answered(static_cast<int64_t>(response_.ByteSizeLong()));
    reactor_->Finish(status);
  }

  void Release() override { delete this; }

 private:
  AdmittedMessages() {
    this->set_request(&request_);
    this->set_response(&response_);
  }

  FairShare::Ticket ticket_;
  std::optional<CallWatch::Place> place_;
  grpc::ServerUnaryReactor* reactor_ = nullptr;
  Request request_;
  Response response_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ADMITTED_MESSAGES_H_
