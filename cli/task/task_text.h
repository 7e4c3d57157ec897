// What `task show` prints for people.
#ifndef TOMBOLA_CLI_TASK_TASK_TEXT_H_
#define TOMBOLA_CLI_TASK_TASK_TEXT_H_

#include <string>

#include "absl/time/time.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Some lines: what the task asks for, what it costs a device and how far it has come.
std::string TaskText(const Task& task, const v1::TaskInfo& info, absl::Time now);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TASK_TASK_TEXT_H_
