// Ends calls that make no progress.
#ifndef TOMBOLA_COMMON_RPC_CALL_WATCH_H_
#define TOMBOLA_COMMON_RPC_CALL_WATCH_H_

#include <grpc/grpc.h>
#include <grpcpp/server_context.h>

#include <list>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/worker.h"

namespace tombola::rpc {

// A server's own bound on its calls, whatever deadline the caller chose or did not choose: a call
// that is registered here and not touched for `patience` is cancelled, so that its memory and its
// ticket come back. A peer that reads or writes too slowly costs no thread meanwhile.
//
// Constant time a call: all have the same patience, so that the oldest is always in front.
//
// Thread-safe. Outlives the calls it watches. One thread of its own.
class CallWatch {
 private:
  struct Watched {
    grpc_call* call;
    absl::Time touched;
  };

 public:
  // One call's place, for as long as it lives: until the call's OnDone.
  class Place {
   public:
    Place(CallWatch* watch, grpc::CallbackServerContext* context);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // The call made progress.
    void Touch();

   private:
    CallWatch* const watch_;
    std::list<Watched>::iterator at_;
  };

  // Looks for stalled calls once a period.
  CallWatch(absl::Duration patience, absl::Duration period, std::shared_ptr<const Clock> clock);

 private:
  void Step();

  const absl::Duration patience_;
  const std::shared_ptr<const Clock> clock_;
  Mutex mutex_;
  std::list<Watched> calls_ ABSL_GUARDED_BY(mutex_);  // the least recently touched first
  Worker worker_;                                     // last: it uses all of the above
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CALL_WATCH_H_
