// How much a search for parameters may compute, so that one which a stranger asked for ends.
#ifndef TOMBOLA_COMMON_ACCOUNTING_WORK_H_
#define TOMBOLA_COMMON_ACCOUNTING_WORK_H_

#include <cstdint>
#include <limits>

#include "absl/status/status.h"

namespace tombola::accounting {

// Counts what accountants of several cells look at while parameters are searched for. The same
// question always costs the same, however fast the machine is. Not thread-safe: one search has one.
class Work {
 public:
  explicit Work(int64_t most_points = std::numeric_limits<int64_t>::max()) : most_(most_points) {}

  // To be called before a look that takes so many points of tables and grids, each some tens of
  // nanoseconds. ResourceExhausted if they are more than are left.
  absl::Status Spend(int64_t points) {
    if (points > most_ - points_) return absl::ResourceExhaustedError("takes too long to plan");
    points_ += points;
    ++looks_;
    return absl::OkStatus();
  }

  int64_t points() const { return points_; }
  int64_t looks() const { return looks_; }

 private:
  int64_t most_;
  int64_t points_ = 0;
  int64_t looks_ = 0;
};

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_WORK_H_
