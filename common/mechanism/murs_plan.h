// The best parameters of local hashing among the shuffler's fakes for a target.
#ifndef TOMBOLA_COMMON_MECHANISM_MURS_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_MURS_PLAN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

// As PlanLocalHash, with request.fakes fakes or else a tenth of the honest submissions, rounded up
// and at most 2^32. They hide a little and blur a little: what they are for is the observer whose
// own reports are most of a batch. A valid request; FailedPrecondition where a closed form is not
// proven.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanMurs(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MURS_PLAN_H_
