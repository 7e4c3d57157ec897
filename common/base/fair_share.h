// A budget of calls and memory that tasks share.
#ifndef TOMBOLA_COMMON_BASE_FAIR_SHARE_H_
#define TOMBOLA_COMMON_BASE_FAIR_SHARE_H_

#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"

namespace tombola {

struct FairShareLimits {
  int64_t calls = 0;     // in flight at once, of all tasks
  int64_t bytes = 0;     // of memory that they hold, of all tasks
  absl::Duration retry;  // what a refused caller is asked to wait
};

// Decides from counts alone, in constant time, whether a call may begin.
//
// A task that has something in flight may take no more than what would still be free, so k tasks
// that want all they can get hold one part in k + 1 each, and one part stays free: a task that
// comes then finds room. Alone, a task gets half. A task with nothing in flight gets its first call
// if that fits at all.
//
// Thread-safe. Outlives its tickets.
class FairShare {
 public:
  // What a call holds; given back when it is destroyed.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept { *this = std::move(other); }
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(share_, other.share_);
      std::swap(task_, other.task_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Ticket() {
      if (share_ != nullptr) share_->Leave(task_, 1, bytes_);
    }
    // Gives back what is above this; nothing if it holds less.
    void ShrinkTo(int64_t bytes) {
      if (share_ == nullptr || bytes >= bytes_) return;
      share_->Leave(task_, 0, bytes_ - bytes);
      bytes_ = bytes;
    }

   private:
    friend class FairShare;
    Ticket(FairShare* share, const TaskId& task, int64_t bytes)
        : share_(share), task_(task), bytes_(bytes) {}

    FairShare* share_ = nullptr;
    TaskId task_{};
    int64_t bytes_ = 0;
  };

  explicit FairShare(FairShareLimits limits) : limits_(limits) {}

  // ResourceExhausted, with a wait and the cause `calls`, `bytes` or `share`; without a wait and
  // with the cause `size` if the call is larger than the whole budget.
  absl::StatusOr<Ticket> Enter(const TaskId& task, int64_t bytes);

  const FairShareLimits& limits() const { return limits_; }
  int64_t calls() const;
  int64_t bytes() const;

 private:
  struct Use {
    int64_t calls = 0;
    int64_t bytes = 0;
  };
  void Leave(const TaskId& task, int64_t calls, int64_t bytes);

  const FairShareLimits limits_;
  mutable Mutex mutex_;
  Use all_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<TaskId, Use> tasks_ ABSL_GUARDED_BY(mutex_);  // those with calls in flight
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_FAIR_SHARE_H_
