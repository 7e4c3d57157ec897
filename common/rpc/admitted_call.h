// A unary call on the server: what it holds, and until when.
#ifndef TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_
#define TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <utility>

#include "common/base/fair_share.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/connection_cap.h"

namespace tombola::rpc {

// Holds its ticket and its seat until the answer is sent or the call is cancelled, because the
// memory of request and answer lives that long: a peer that does not read its answer is in the way
// of its own task and its own connection only, and not for longer than the watch allows. Owned by
// gRPC, which ends it by OnDone; that comes after Answer or Finish, one of which whoever made it
// must call once.
class AdmittedCall final : public grpc::ServerUnaryReactor {
 public:
  AdmittedCall(FairShare::Ticket ticket, CallWatch* watch, grpc::CallbackServerContext* context,
               ConnectionCap::Seat seat = {})
      : ticket_(std::move(ticket)), seat_(std::move(seat)), place_(watch, context) {}

  // As Finish, from any thread, with an answer of so many bytes that the peer is to read soon. The
  // call may be over, and this gone, when it returns.
  void Answer(const grpc::Status& status, int64_t bytes) {
    place_.Answered(bytes);
    Finish(status);
  }
  void OnDone() override { delete this; }

 private:
  const FairShare::Ticket ticket_;
  const ConnectionCap::Seat seat_;
  CallWatch::Place place_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ADMITTED_CALL_H_
