// How many records of a device are worth counting.
#ifndef TOMBOLA_COMMON_PLAN_RECORDS_LIMIT_H_
#define TOMBOLA_COMMON_PLAN_RECORDS_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/plan/plan.h"
#include "common/plan/record_sizes.h"
#include "tombola/v1/task.pb.h"

namespace tombola::mechanism {

// What noise costs with one max_records.
struct LimitNoise {
  double noise = 0;  // of a count, as a share of what is counted where nothing is cut
  int64_t cells = 0;
  double messages = 0;  // of a device, expected
};

// A max_records, and how far off a count is with it, as a share of what it counts.
struct RecordLimit {
  int64_t max_records = 0;
  double cut = 0;  // of all records: a bias of every count
  LimitNoise of;
  double error = 0;  // the root of cut^2 + noise^2
};

struct LimitChoice {
  std::vector<RecordLimit> tried;  // those that can be, ascending; at least one
  size_t best = 0;                 // the one with the least error

  const RecordLimit& chosen() const { return tried[best]; }
};

// The multiple of `step` with the least error. More records than devices have are not tried. Of up
// to kAllLimits multiples all are, of more some, closer and closer around the best so far, and
// always its two neighbours. `noise`: FailedPrecondition says that neither this nor a larger
// max_records can be; that of the least one, and any other error, is the result.
inline constexpr int64_t kAllLimits = 64;
absl::StatusOr<LimitChoice> ChooseLimit(
    const RecordSizes& sizes, int64_t step,
    absl::FunctionRef<absl::StatusOr<LimitNoise>(int64_t max_records)> noise);

// The same for a task for which records are asked, as PlanViews and PlanRecords plan it; of `asked`
// max_records is not looked at, and where it has max_alike that is the step. The count is one that
// PlanRecords says a range of: its error squared, averaged over views, where records are spread
// evenly over their cells. Where the request has no cap on messages, what most devices would refuse
// (kUsualMostReports) cannot be. InvalidArgument as those two. Seconds.
absl::StatusOr<LimitChoice> PlanLimit(const v1::Records& asked, const RecordSizes& sizes,
                                      const PlanRequest& request, absl::string_view only = "");

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_RECORDS_LIMIT_H_
