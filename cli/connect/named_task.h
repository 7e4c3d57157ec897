// The task that a person means.
#ifndef TOMBOLA_CLI_CONNECT_NAMED_TASK_H_
#define TOMBOLA_CLI_CONNECT_NAMED_TASK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/connect/config.h"
#include "common/base/ids.h"
#include "common/task/task.h"
#include "tombola/v1/collector.grpc.pb.h"

namespace tombola::cli {

// For help texts.
inline constexpr char kTaskFlagHelp[] =
    "The task's name, its id, or the beginning of its id, four digits or more";

// The same among the tasks of a deployment. A whole id is taken as it is; else the collector is
// asked, or the shuffler by an operator. InvalidArgument too where the caller may ask neither.
absl::StatusOr<TaskId> FindTask(const Config& config, absl::string_view flag,
                                const std::string& text);

// What the collector says of a task. NotFound: it has no such task.
absl::StatusOr<v1::TaskInfo> FetchTaskInfo(v1::CollectorQuery::Stub& stub, const TaskId& id);
absl::StatusOr<std::shared_ptr<const Task>> FetchTask(v1::CollectorQuery::Stub& stub,
                                                      const TaskId& id);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_CONNECT_NAMED_TASK_H_
