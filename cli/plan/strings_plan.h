// tombola plan --kind strings
#ifndef TOMBOLA_CLI_PLAN_STRINGS_PLAN_H_
#define TOMBOLA_CLI_PLAN_STRINGS_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/command/string_flags.h"
#include "common/plan/plan.h"

namespace tombola::cli {

// Prints how many devices must hold a string so that it is found, for each way of sending it.
// InvalidArgument names the flag that is missing or out of its bounds.
absl::Status PlanStringWays(const StringFlags& flags, const mechanism::PlanRequest& request,
                            mechanism::Left left, bool json);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_STRINGS_PLAN_H_
