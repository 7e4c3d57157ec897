// tombola up
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "cli/demo/deployment.h"
#include "cli/task/request.h"
#include "common/base/status_macros.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

struct UpOptions {
  std::string directory;
  std::string task_file;
  int port_base = 0;
  bool new_token = false;
  bool json = false;
};

// Whether the task is what the request would make, as far as the request says.
bool SameAs(const Task& task, const v1::CreateTaskRequest& request) {
  const std::vector<std::string> labels(request.labels().begin(), request.labels().end());
  const int64_t size = labels.empty() ? static_cast<int64_t>(request.domain_size())
                                      : static_cast<int64_t>(labels.size());
  const BatchPolicy& policy = task.batch_policy();
  return task.domain().size() == size && task.domain().labels() == labels &&
         task.domain().other().has_value() == request.has_other() &&
         task.domain().other().value_or(0) == request.other() &&
         task.target().epsilon == request.epsilon() && task.target().delta == request.delta() &&
         policy.planned_submissions == static_cast<int64_t>(request.users()) &&
         (!request.has_smallest_batch() ||
          policy.smallest_batch == static_cast<int64_t>(request.smallest_batch())) &&
         policy.dishonest_share == request.dishonest_share() &&
         policy.interval == absl::Seconds(request.interval()) &&
         policy.merge_periods == request.merge_periods() &&
         task.submissions_per_device() == std::max<int64_t>(1, request.submissions_per_device()) &&
         (!request.has_max_local_epsilon() ||
          task.scheme()->local_epsilon() <= request.max_local_epsilon());
}

// What the file asks for, as far as it can be told without the collector.
absl::StatusOr<v1::CreateTaskRequest> ReadRequest(const std::string& file) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskRequestOptions options, ReadTaskFile(file));
  return ToRequest(options);
}

// The task that the file describes: made, unless one of its name is there already.
absl::StatusOr<v1::TaskInfo> EnsureTask(const Config& config, const std::string& file,
                                        const v1::CreateTaskRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto analyst, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::TaskList list,
      Call(*analyst, &v1::CollectorQuery::Stub::ListTasks, v1::ListTasksRequest()));
  for (const v1::TaskInfo& info : list.tasks()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    if (task->name() != request.name() || info.closed()) continue;
    if (!SameAs(*task, request)) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": an open task of this name has other parameters (",
                       ToHex(task->id()), "): close it, or choose another name"));
    }
    return info;
  }
  return CreateTask(config, request);
}

absl::Status RunUp(const UpOptions& options) {
  // First, so that a file that is refused leaves no directory behind.
  v1::CreateTaskRequest request;
  if (!options.task_file.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(request, ReadRequest(options.task_file));
  }
  Deployment::BlockSignals();
  TOMBOLA_ASSIGN_OR_RETURN(Deployment deployment,
                           Deployment::Start({.directory = options.directory,
                                              .port_base = options.port_base,
                                              .dashboard = true,
                                              .new_token = options.new_token}));
  std::string task, warning;
  if (!options.task_file.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                             EnsureTask(deployment.config(), options.task_file, request));
    task = absl::BytesToHexString(info.task_id());
    warning = info.warning();
  }
  if (options.json) {
    Json json = deployment.config().ToJson();
    json["config"] = deployment.config_path();
    if (!task.empty()) {
      json["task"] = task;
      json["warning"] = warning.empty() ? Json() : Json(warning);
    }
    Print(json);
  } else {
    std::cout << "shuffler   " << deployment.config().shuffler << "\n"
              << "collector  " << deployment.config().collector_query << " (ingest "
              << deployment.config().collector_ingest << ")\n"
              << "dashboard  " << deployment.config().dashboard << "\n"
              << "config     " << deployment.config_path() << "\n"
              << (task.empty() ? "" : absl::StrCat("task       ", task, "\n"))
              << (warning.empty() ? "" : absl::StrCat("! ", warning, "\n"))
              << "running; Ctrl-C ends both" << std::endl;
  }
  const absl::Status ended = deployment.WaitForEnd();
  const absl::Status stopped = deployment.Stop();
  return ended.ok() ? stopped : ended;
}

}  // namespace

void AddUp(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* up = app.add_subcommand(
      "up", "Both daemons on this machine, with keys and certificates made at the first start");
  up->add_option("--dir", options->directory,
                 "Where everything is kept; a second start goes on with it")
      ->required();
  up->add_option("--task", options->task_file,
                 "JSON file with the flags of `task create`: the task is made if it is not there");
  up->add_option(
        "--port-base", options->port_base,
        "The shuffler's port; the collector's are the next two, the dashboard's the one after "
        "[those of the last start in --dir, or free ones]")
      ->check(CLI::Range(1, 65532));
  up->add_flag(
      "--new-token", options->new_token,
      "Another token in the dashboard's address, and the former one revoked [the same over "
      "all starts in --dir]");
  up->add_flag("--json", options->json, "One JSON object on standard output, then stays in front");
  up->callback([options, choose] { choose([options] { return RunUp(*options); }); });
}

}  // namespace tombola::cli
