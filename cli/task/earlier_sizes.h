// How many things, or records, devices have, as an earlier task has learnt it for one to be made.
#ifndef TOMBOLA_CLI_TASK_EARLIER_SIZES_H_
#define TOMBOLA_CLI_TASK_EARLIER_SIZES_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/connect/config.h"
#include "cli/task/answered_sizes.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Asks for the answer of the task with this id, and sets items.max_items of a request for sets or
// key-value pairs by it (ChooseSize). A line for people that says what was taken, and why.
// InvalidArgument: there is no such task, it is of another kind, or nothing of it is counted yet.
absl::StatusOr<std::string> SetSizesLike(const Config& config, const std::string& earlier,
                                         v1::CreateTaskRequest* request);

// How many records devices have, from the answer of the task with this id, which is a histogram or
// about numbers. InvalidArgument as above, and as SizesOfAnswer.
struct EarlierRecords {
  std::string name;  // the task's
  AnsweredSizes answered;
};
absl::StatusOr<EarlierRecords> RecordsOf(const Config& config, const std::string& earlier);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_EARLIER_SIZES_H_
