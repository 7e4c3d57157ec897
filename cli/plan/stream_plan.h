// tombola plan --kind stream
#ifndef TOMBOLA_CLI_PLAN_STREAM_PLAN_H_
#define TOMBOLA_CLI_PLAN_STREAM_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "common/plan/plan.h"

namespace tombola::cli {

struct StreamPlanFlags {
  std::optional<int64_t> periods;
  std::string structure = "auto";
  int64_t device_periods = 1;

  bool any() const { return periods.has_value() || structure != "auto" || device_periods != 1; }
};

// Prints what totals over time of each mechanism and structure are like. The request is of one
// period. InvalidArgument names the flag that is missing or out of its bounds.
absl::Status PlanStreamPeriods(const StreamPlanFlags& flags, const mechanism::PlanRequest& request,
                               bool json);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_STREAM_PLAN_H_
