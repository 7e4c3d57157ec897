#include "cli/connect/named_task.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/connect/connection.h"
#include "common/base/status_macros.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

constexpr size_t kFewestDigits = 4;
constexpr size_t kMostListed = 5;

absl::Status Ambiguous(absl::string_view flag, absl::string_view text,
                       const std::vector<const KnownTask*>& matches) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < matches.size() && i < kMostListed; ++i) {
    ids.push_back(absl::StrCat(ToHex(matches[i]->id).substr(0, 12), " (", matches[i]->name, ")"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      flag, " must name one task, and ", text, " is ", matches.size(),
      " of them: ", absl::StrJoin(ids, ", "), matches.size() > kMostListed ? ", ..." : ""));
}

absl::StatusOr<std::vector<KnownTask>> TasksOfCollector(const Config& config) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::TaskList list,
      Call(*stub, &v1::CollectorQuery::Stub::ListTasks, v1::ListTasksRequest()));
  std::vector<KnownTask> tasks;
  for (const v1::TaskInfo& info : list.tasks()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    tasks.push_back({.id = task->id(), .name = task->name(), .open = !info.closed()});
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

absl::StatusOr<TaskId> MatchTask(absl::string_view flag, absl::string_view text,
                                 const std::vector<KnownTask>& tasks) {
  std::vector<const KnownTask*> open, closed, prefixed;
  const bool digits =
      text.size() >= kFewestDigits && std::all_of(text.begin(), text.end(), absl::ascii_isxdigit);
  const std::string prefix = absl::AsciiStrToLower(text);
  for (const KnownTask& task : tasks) {
    if (task.name == text) (task.open ? open : closed).push_back(&task);
    if (digits && absl::StartsWith(ToHex(task.id), prefix)) prefixed.push_back(&task);
  }
  for (const auto* matches : {&open, &closed, &prefixed}) {
    if (matches->size() == 1) return matches->front()->id;
    if (!matches->empty()) return Ambiguous(flag, text, *matches);
  }
  return absl::InvalidArgumentError(absl::StrCat(flag, ": no task has the name ", text,
                                                 digits ? " or an id that begins so" : "",
                                                 " (tombola task list shows them)"));
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
  return MatchTask(flag, text, tasks);
}

}  // namespace tombola::cli
