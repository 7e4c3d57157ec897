// How many records of a device a task counts, from how many devices have.
#ifndef TOMBOLA_CLI_TASK_LIMIT_CHOICE_H_
#define TOMBOLA_CLI_TASK_LIMIT_CHOICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/task/answered_sizes.h"
#include "common/plan/records_limit.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// The best max_records for the batches of the task that is asked for (mechanism::PlanLimit).
// InvalidArgument naming the flag or the member: something is out of its bounds, or there is none.
absl::StatusOr<mechanism::LimitChoice> ChooseMaxRecords(const v1::CreateTaskRequest& request,
                                                        const mechanism::RecordSizes& sizes);

// Lines for people: the choice, what it costs, and how far `source`, such as "\"pilot\"", can be
// relied on.
std::string Describe(const mechanism::LimitChoice& choice, const AnsweredSizes& sizes,
                     absl::string_view source);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_LIMIT_CHOICE_H_
