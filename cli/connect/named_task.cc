#include "cli/connect/named_task.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/connect/connection.h"
#include "common/base/status_macros.h"
#include "common/task/named_task.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

absl::StatusOr<std::vector<KnownTask>> TasksOfCollector(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  std::vector<KnownTask> tasks;
  // Who names an archived task means it.
  for (const bool archived : {false, true}) {
    v1::ListTasksRequest request;
    request.set_archived(archived);
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskList list,
                             Call(*stub, &v1::CollectorQuery::Stub::ListTasks, request));
    for (const v1::TaskInfo& info : list.tasks()) {
      TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
      tasks.push_back({.id = task->id(), .name = task->name(), .open = !info.closed()});
    }
  }
  return tasks;
}

absl::StatusOr<std::vector<KnownTask>> TasksOfShuffler(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Operator(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::ShufflerStatus status,
      Call(*stub, &v1::ShufflerOperator::Stub::GetStatus, v1::GetShufflerStatusRequest()));
  std::vector<KnownTask> tasks;
  for (const v1::ShufflerTaskStatus& task : status.tasks()) {
    const auto id = IdFromBytes<TaskId>(task.task_id());
    if (id.has_value()) tasks.push_back({.id = *id, .name = task.name(), .open = !task.closed()});
  }
  return tasks;
}

}  // namespace

absl::StatusOr<v1::TaskInfo> FetchTaskInfo(v1::CollectorQuery::Stub& stub, const TaskId& id) {
  v1::GetTaskInfoRequest request;
  request.set_task_id(std::string(AsView(id)));
  return Call(stub, &v1::CollectorQuery::Stub::GetTask, request);
}

absl::StatusOr<std::shared_ptr<const Task>> FetchTask(v1::CollectorQuery::Stub& stub,
                                                      const TaskId& id) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, FetchTaskInfo(stub, id));
  return Task::Parse(info.task());
}

absl::StatusOr<TaskId> FindTask(const Config& config, absl::string_view flag,
                                const std::string& text) {
  if (const auto id = IdFromHex<TaskId>(text)) return *id;
  if (!MayAskCollector(config) && !MayAskShuffler(config)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " must be 64 lower-case hexadecimal digits: ", config.file,
                     " has no certificate at hand by which a name could be looked up"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<KnownTask> tasks, MayAskCollector(config)
                                                                   ? TasksOfCollector(config)
                                                                   : TasksOfShuffler(config));
  absl::StatusOr<TaskId> found = MatchTask(flag, text, tasks);
  if (!absl::IsNotFound(found.status())) return found;
  return absl::InvalidArgumentError(
      absl::StrCat(found.status().message(), " (tombola task list shows them)"));
}

}  // namespace tombola::cli
