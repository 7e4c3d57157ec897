// Where the calls of people are answered: on threads of their own.
#ifndef TOMBOLA_COMMON_RPC_ANSWER_DESK_H_
#define TOMBOLA_COMMON_RPC_ANSWER_DESK_H_

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "common/base/fair_share.h"
#include "common/base/ids.h"
#include "common/base/work_pool.h"
#include "common/rpc/call_watch.h"

namespace tombola::rpc {

// Unary calls whose answer takes its time or waits for a lock or the disk. gRPC's few threads, on
// which strangers' calls arrive too, only look whether the caller may ask; one that may not costs
// neither a ticket nor a thread. Who may gets a ticket and waits for a thread of the pool, and
// holds the ticket until the answer is sent or the watch cancels the call.
//
// Thread-safe.
class AnswerDesk {
 public:
  struct Parts {
    FairShare* share =
        nullptr;  // of calls and large answers; desks with different names share it fairly
    TaskId name{};
    CallWatch* watch = nullptr;
    WorkPool* pool = nullptr;
  };
  explicit AnswerDesk(const Parts& parts) : parts_(parts) {}

  // Once, from a method's handler, which returns the reactor. `work` fills the response; request
  // and response live until it has returned. Not OK: `allowed` is the answer, and nothing is done.
  // `bytes`: memory that the answer may take, of the share's; small ones are not counted.
  grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context,
                                   const absl::Status& allowed, std::function<absl::Status()> work,
                                   int64_t bytes = 0) const;

 private:
  const Parts parts_;
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ANSWER_DESK_H_
