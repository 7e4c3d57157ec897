#include "common/rpc/answer_desk.h"

#include <utility>

#include "common/rpc/admitted_call.h"
#include "common/rpc/status.h"

namespace tombola::rpc {

grpc::ServerUnaryReactor* AnswerDesk::Answer(grpc::CallbackServerContext* context,
                                             const absl::Status& allowed,
                                             std::function<absl::Status()> work,
                                             int64_t bytes) const {
  absl::StatusOr<FairShare::Ticket> ticket =
      allowed.ok() ? parts_.share->Enter(parts_.name, bytes) : allowed;
  if (!ticket.ok()) {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(ToGrpc(ticket.status()));
    return reactor;
  }
  auto* const call = new AdmittedCall(*std::move(ticket), parts_.watch, context);
  parts_.pool->Add([call, context, work = std::move(work)](int) {
    // Nobody waits for the answer to a call that ended in the queue.
    call->Finish(ToGrpc(context->IsCancelled() ? absl::CancelledError("cancelled") : work()));
  });
  return call;
}

}  // namespace tombola::rpc
