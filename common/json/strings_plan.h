// What it takes to find strings that nobody listed, for scripts. The command line and HTTP write
// the very same.
#ifndef TOMBOLA_COMMON_JSON_STRINGS_PLAN_H_
#define TOMBOLA_COMMON_JSON_STRINGS_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/json/text.h"
#include "common/plan/strings.h"

namespace tombola {

// On the wire, on average; and the most messages of a submission. Feasible plans only.
double BytesPerUser(const mechanism::StringPlan& plan);
int64_t MostMessages(const mechanism::StringPlan& plan);

// Of a search, where as many prefixes stand out as were planned for; of a dictionary for all of it.
double TestsOf(const mechanism::StringPlan& plan);

// What a person should know before taking the plan. `best` may be null.
std::vector<std::string> StringsPlanWarnings(const mechanism::StringPlan* best,
                                             const mechanism::StringPlanRequest& request);

// {"recommended", "symbols", "length", "step", "levels", "whole", "dictionary", "tests",
// "candidates": [{"mechanism", "feasible", "reason", "holders", "holders_share", "range",
// "messages_per_user", "max_messages_per_user", "bytes_per_user", "moved_by_report",
// "local_epsilon"}], "warnings"}. Null: what is not feasible; step where whole strings are hashed,
// dictionary where they are not; a local epsilon that there is not.
Json StringsPlanJson(const std::vector<mechanism::StringPlan>& plans,
                     const mechanism::StringPlan* best,
                     const mechanism::StringPlanRequest& request);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_STRINGS_PLAN_H_
