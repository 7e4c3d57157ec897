// Ends calls that make no progress.
#ifndef TOMBOLA_COMMON_RPC_CALL_WATCH_H_
#define TOMBOLA_COMMON_RPC_CALL_WATCH_H_

#include <grpc/grpc.h>
#include <grpcpp/server_context.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/worker.h"

namespace tombola::rpc {

// Answers of at most so many bytes fit the window that every peer opens by default: a peer that has
// not taken one at once does not mean to.
inline constexpr int64_t kSmallAnswerBytes = 64 << 10;

// What a finished answer gets that its peer does not read.
struct UnreadAnswers {
  absl::Duration patience;  // of a small one; others have that of any call
  int64_t most = std::numeric_limits<int64_t>::max();  // small ones; beyond: the oldest goes
};

// A server's own bound on its calls, whatever deadline the caller chose or did not choose: a call
// that is registered here and not touched for `patience` is cancelled, so that its memory and its
// ticket come back. A peer that reads or writes too slowly costs no thread meanwhile. Small answers
// that are finished and not read have less time, and are bounded in number.
//
// Constant time a call: those of a row have the same patience, so that the oldest is always in
// front.
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
    // Before its Finish with an answer of so many bytes. May cancel another call, in this thread.
    void Answered(int64_t bytes);

   private:
    friend class CallWatch;

    CallWatch* const watch_;
    grpc_call* const call_;
    // The rest is guarded by the watch's mutex_.
    absl::Duration touched_;
    bool unread_ = false;  // in which row
    Place* before_ = nullptr;
    Place* after_ = nullptr;
  };

  // Looks for stalled calls once a period, by a clock that no step of the system's moves.
  CallWatch(absl::Duration patience, absl::Duration period,
            std::shared_ptr<const SteadyClock> clock, UnreadAnswers unread);
  // With the same patience for answers.
  CallWatch(absl::Duration patience, absl::Duration period,
            std::shared_ptr<const SteadyClock> clock)
      : CallWatch(patience, period, std::move(clock), {.patience = patience}) {}

 private:
  // Places, the least recently touched first; they are its links, so that a call costs no memory
  // beside its place.
  struct Row {
    Place* first = nullptr;
    Place* last = nullptr;
    int64_t size = 0;
  };

  void Step();
  Row& RowOf(const Place& place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return place.unread_ ? unread_ : under_way_;
  }
  // Puts the place at the end of its row, or takes it out.
  void Append(Place* place, absl::Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remove(Place* place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const absl::Duration patience_;
  const UnreadAnswers limits_;
  const std::shared_ptr<const SteadyClock> clock_;
  Mutex mutex_;
  Row under_way_ ABSL_GUARDED_BY(mutex_);
  Row unread_ ABSL_GUARDED_BY(mutex_);
  Worker worker_;  // last: it uses all of the above
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CALL_WATCH_H_
