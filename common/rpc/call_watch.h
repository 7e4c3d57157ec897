// Ends calls that make no progress.
#ifndef TOMBOLA_COMMON_RPC_CALL_WATCH_H_
#define TOMBOLA_COMMON_RPC_CALL_WATCH_H_

#include <grpc/grpc.h>
#include <grpcpp/server_context.h>

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
    friend class CallWatch;

    CallWatch* const watch_;
    grpc_call* const call_;
    // The rest is guarded by the watch's mutex_.
    absl::Time touched_;
    Place* before_ = nullptr;
    Place* after_ = nullptr;
  };

  // Looks for stalled calls once a period.
  CallWatch(absl::Duration patience, absl::Duration period, std::shared_ptr<const Clock> clock);

 private:
  void Step();
  // Puts the place at the end of the row, or takes it out.
  void Append(Place* place, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Place* place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const absl::Duration patience_;
  const std::shared_ptr<const Clock> clock_;
  Mutex mutex_;
  // The places in a row, the least recently touched first; they are its links, so that a call costs
  // no memory beside its place.
  Place* first_ ABSL_GUARDED_BY(mutex_) = nullptr;
  Place* last_ ABSL_GUARDED_BY(mutex_) = nullptr;
  Worker worker_;  // last: it uses all of the above
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CALL_WATCH_H_
