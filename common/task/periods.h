// When the periods of a task begin and end.
#ifndef TOMBOLA_COMMON_TASK_PERIODS_H_
#define TOMBOLA_COMMON_TASK_PERIODS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace tombola {

// The periods of a task: intervals of one length, numbered from 1. The first begins with the task;
// the last ends with it and may be shorter. Immutable and thread-safe.
//
// A period p takes submissions from Opens(p) to Closes(p), which is its own time and a little on
// both sides (grace), for clocks that differ and for retries; then its batch leaves or is
// destroyed.
class Periods {
 public:
  // length > 0, begins < ends.
  Periods(absl::Time begins, absl::Time ends, absl::Duration length);

  // How many there are, and the number of the last.
  uint64_t count() const { return count_; }
  // A tenth of a period, at most ten minutes.
  absl::Duration grace() const { return grace_; }

  // The period of this moment: the first before the task begins, the last after it has ended.
  uint64_t At(absl::Time now) const;
  bool Has(uint64_t period) const { return period >= 1 && period <= count_; }

  // The following are for a period that there is.
  absl::Time Begins(uint64_t period) const;
  absl::Time Ends(uint64_t period) const;
  absl::Time Opens(uint64_t period) const { return Begins(period) - grace_; }
  absl::Time Closes(uint64_t period) const { return Ends(period) + grace_; }

  // The number of the last period that begins before `moment`; 0: none does.
  uint64_t LastBefore(absl::Time moment) const;
  // The number of the last period that is closed then; 0: none is.
  uint64_t LastClosed(absl::Time now) const;

 private:
  absl::Time begins_, ends_;
  absl::Duration length_, grace_;
  uint64_t count_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_PERIODS_H_
