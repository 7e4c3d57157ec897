// The best parameters of randomised response for a target.
#ifndef TOMBOLA_COMMON_MECHANISM_GRR_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_GRR_PLAN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

// The least blanket that was seen to meet the target; with few submissions, where shuffling hides
// nothing, that of local epsilon <= epsilon. By closed form K = kappa + domain_size is Theorem 1's.
// A valid request; FailedPrecondition where a closed form is not proven.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanGrr(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_GRR_PLAN_H_
