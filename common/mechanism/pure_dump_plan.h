// The fewest dummies with which pure_dump meets a target.
#ifndef TOMBOLA_COMMON_MECHANISM_PURE_DUMP_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_PURE_DUMP_PLAN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

// The least rate by the accountant, or the one of the closed form (accounting/published.h), and the
// smallest cap that costs a ten-thousandth of delta. FailedPrecondition if a local epsilon is asked
// for, if there are more messages than allowed, if the honest submissions are too few to carry the
// dummies, or where the closed form is not proven. Pure; milliseconds.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanPureDump(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_PURE_DUMP_PLAN_H_
