// The best parameters of randomised response among dummies for a target.
#ifndef TOMBOLA_COMMON_MECHANISM_MIX_DUMP_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_MIX_DUMP_PLAN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

// request.dummies dummies for each value, or else half of what pure_dump needs, and for them the
// least blanket that was seen to meet the target. By closed form both come from
// (honest - 1)/K + dummies >= 14 ln(2/delta) / epsilon^2. A valid request; FailedPrecondition where
// a closed form is not proven or the dummies are more than the request allows.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanMixDump(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_MIX_DUMP_PLAN_H_
