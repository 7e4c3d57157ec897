// The sizes that an earlier task has learnt, for a task to be made.
#ifndef TOMBOLA_CLI_TASK_EARLIER_SIZES_H_
#define TOMBOLA_CLI_TASK_EARLIER_SIZES_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/connect/config.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Asks for the answer of the task with this id, and sets items.max_items of a request for sets or
// key-value pairs by it (ChooseSize). A line for people that says what was taken, and why.
// InvalidArgument: there is no such task, it is of another kind, or nothing of it is counted yet.
absl::StatusOr<std::string> SetSizesLike(const Config& config, const std::string& earlier,
                                         v1::CreateTaskRequest* request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_EARLIER_SIZES_H_
