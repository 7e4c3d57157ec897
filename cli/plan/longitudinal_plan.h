// `tombola plan --longitudinal`: fresh noise or memos, for devices that report in every period.
#ifndef TOMBOLA_CLI_PLAN_LONGITUDINAL_PLAN_H_
#define TOMBOLA_CLI_PLAN_LONGITUDINAL_PLAN_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "common/plan/plan.h"

namespace tombola::cli {

struct LongitudinalPlanFlags {
  std::string mode;             // "fresh", "memo" or "both"; empty: not asked for
  int64_t submissions = 0;      // of a device
  int64_t distinct_values = 1;  // of which it keeps a memo
};

// Plans and prints. `only`: this mechanism alone. InvalidArgument names the flag and its bound.
absl::Status PlanOverPeriods(const LongitudinalPlanFlags& flags,
                             const mechanism::PlanRequest& request, const std::string& only,
                             bool json);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_LONGITUDINAL_PLAN_H_
