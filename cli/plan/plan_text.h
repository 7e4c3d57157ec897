// What `plan` says to people.
#ifndef TOMBOLA_CLI_PLAN_PLAN_TEXT_H_
#define TOMBOLA_CLI_PLAN_PLAN_TEXT_H_

#include <string>
#include <vector>

#include "cli/plan/plan_options.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"

namespace tombola::cli {

// What the submissions of a device amount to together; infinity: nothing holds.
double TotalEpsilon(const mechanism::Mechanism& mechanism, const PlanOptions& options);

// What a person should know before taking the plan. `best` may be null.
std::vector<std::string> AllWarnings(const mechanism::Candidate* best, const PlanOptions& options);

// A row for each candidate on standard output, in which errors are half-widths of 95 % intervals.
void PrintTable(const std::vector<mechanism::Candidate>& candidates,
                const mechanism::Candidate* best, const PlanOptions& options);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_PLAN_PLAN_TEXT_H_
