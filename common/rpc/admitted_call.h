// A unary call on the server: what it holds, and until when.
#ifndef TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_
#define TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_

#include <grpcpp/support/server_callback.h>

#include <utility>

#include "common/base/fair_share.h"
#include "common/rpc/call_watch.h"

namespace tombola::rpc {

// Holds its ticket until the answer is sent or the call is cancelled, because the memory of request
// and answer lives that long: a peer that does not read its answer is in the way of its own task
// only, and not for longer than the watch allows. Owned by gRPC, which ends it by OnDone; that
// comes after Finish, which whoever made it must call once.
class AdmittedCall final : public grpc::ServerUnaryReactor {
 public:
  AdmittedCall(FairShare::Ticket ticket, CallWatch* watch, grpc::CallbackServerContext* context)
      : ticket_(std::move(ticket)), place_(watch, context) {}

  void OnDone() override { delete this; }

 private:
  const FairShare::Ticket ticket_;
  const CallWatch::Place place_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_
