// Devices that report in every period: noise drawn anew each time, or a memo that is said again.
#ifndef TOMBOLA_COMMON_PLAN_LONGITUDINAL_H_
#define TOMBOLA_COMMON_PLAN_LONGITUDINAL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

struct LongitudinalRequest {
  // Its epsilon and delta are for all of a device's reports together, each in a batch of its own.
  PlanRequest plan;
  int64_t reports = 0;  // of a device; 2 to 1000
  int64_t values = 1;   // of which a device keeps a memo, at most `reports`
};

// A mechanism for one period. Its error is that of a share in one period; of fresh noise a mean
// over w periods has a w-th of it, of memos as much.
struct LongitudinalCandidate {
  Candidate candidate;
  double epsilon = 0;  // the target of one report, with the plan's delta; of memos the plan's
};

// The largest epsilon of one report, with the plan's delta, for which what PlanOne makes of it has
// the plan's epsilon over all reports by the product of their losses: looked at, to half a
// permille. FailedPrecondition as PlanOne, of the reports together. Seconds for 365 reports.
absl::StatusOr<LongitudinalCandidate> PlanFresh(absl::string_view name,
                                                const LongitudinalRequest& request);

// grr, local_hash on a plane or rappor, of which memos of so many values have the plan's epsilon
// against everybody: no other submission hides anything. Numbers of rappor that are given are taken
// as they are; else it has no second response. FailedPrecondition: it has no memos, or those of the
// given numbers say more.
absl::StatusOr<LongitudinalCandidate> PlanMemo(absl::string_view name,
                                               const LongitudinalRequest& request);

// Those that are tried where none is named.
const std::vector<absl::string_view>& FreshMechanisms();
const std::vector<absl::string_view>& MemoMechanisms();

// InvalidArgument names the field and its bound.
absl::Status ValidateLongitudinal(const LongitudinalRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_LONGITUDINAL_H_
