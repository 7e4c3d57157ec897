// How much a search for parameters may compute, so that one which a stranger asked for ends.
#ifndef TOMBOLA_COMMON_ACCOUNTING_WORK_H_
#define TOMBOLA_COMMON_ACCOUNTING_WORK_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {

// Counts what accountants look at while parameters are searched for. The same question always costs
// the same, however fast the machine is. Not thread-safe: one search has one.
class Work {
 public:
  // `all`: that of several searches, which counts this one's too; outlives it. Null: none.
  // `left`: asked before every look, whether nobody waits for what is searched.
  explicit Work(int64_t most_points = std::numeric_limits<int64_t>::max(), Work* all = nullptr,
                std::function<bool()> left = nullptr)
      : most_(most_points), all_(all), left_(std::move(left)) {}

  // To be called before a look that takes so many points of tables and grids, each some tens of
  // nanoseconds. ResourceExhausted if they are more than are left, or nobody waits.
  absl::Status Spend(int64_t points) {
    if (left_ != nullptr && left_()) {
      return absl::ResourceExhaustedError("is planned for nobody who waits");
    }
    TOMBOLA_RETURN_IF_ERROR(SpendOfAll(points));
    if (points > most_ - points_) {
      exhausted_ = true;
      return absl::ResourceExhaustedError("takes too long to plan");
    }
    points_ += points;
    ++looks_;
    return absl::OkStatus();
  }
  // The same for a look of which a search by itself never takes too many: those of one cell.
  absl::Status SpendOfAll(int64_t points) {
    return all_ == nullptr ? absl::OkStatus() : all_->Spend(points);
  }

  int64_t points() const { return points_; }
  int64_t looks() const { return looks_; }
  // Whether more was wanted than there was.
  bool exhausted() const { return exhausted_; }

 private:
  int64_t most_;
  Work* all_;
  std::function<bool()> left_;
  bool exhausted_ = false;
  int64_t points_ = 0;
  int64_t looks_ = 0;
};

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_WORK_H_
