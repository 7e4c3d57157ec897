// tombola task create | show | list | close
#include "common/task/task.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "cli/task/request.h"
#include "common/base/decimal.h"
#include "common/json/mechanism.h"
#include "common/json/task.h"
#include "common/task/whole_life.h"

namespace tombola::cli {
namespace {

struct CreateOptions {
  std::string config;
  TaskRequestOptions request;
  bool json = false;
};

struct NamedOptions {
  std::string config;
  std::string task;
  bool json = false;
};

void PrintForPeople(const v1::TaskInfo& wire, const Task& task) {
  const Json info = TaskJson(task, wire, absl::Now());
  const accounting::EpsilonDelta total{wire.total_epsilon(), wire.total_delta()};
  std::cout << absl::StrFormat(
      "task      %s\nname      %s (%s)\ndomain    %d values\n"
      "mechanism %s, %s\n"
      "target    epsilon %s, delta %s for every batch of at least %d\n"
      "total     %s %s%s\n"
      "batches   planned %d submissions; %d counted, %d reports, %d messages, %d rejected\n"
      "windows   retries are recognised for %s; devices seal by key lists of up to %s\n",
      info["task"].get<std::string>(), info["name"].get<std::string>(),
      info["state"].get<std::string>(), info["domain"].get<int64_t>(),
      info["mechanism"].get<std::string>(), DescribeParameters(*task.scheme()),
      RoundedUp(info["epsilon"].get<double>(), 4), RoundedUp(info["delta"].get<double>(), 4),
      info["needed"].get<int64_t>(), PairText(total), OverSubmissions(MostSubmissions(task)),
      wire.total_reason().empty() ? "" : absl::StrCat(":\n          ", wire.total_reason()),
      info["users"].get<int64_t>(), info["counted_batches"].get<int64_t>(),
      info["reports"].get<int64_t>(), info["messages"].get<int64_t>(),
      info["rejected"].get<int64_t>(), absl::FormatDuration(task.batch_policy().retry_window),
      absl::FormatDuration(task.key_list_age()));
  if (const auto& periods = task.periods(); periods.has_value()) {
    std::cout << absl::StrFormat(
        "periods   %d of %s each%s; a batch leaves %s after the end of its period\n",
        periods->count(), absl::FormatDuration(task.batch_policy().interval),
        info["present_period"].is_null()
            ? std::string()
            : absl::StrFormat(", now in number %d", info["present_period"].get<uint64_t>()),
        absl::FormatDuration(periods->grace()));
  }
  if (!info["warning"].is_null()) std::cout << "! " << info["warning"].get<std::string>() << "\n";
}

absl::Status Show(const v1::TaskInfo& info, bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  if (json) {
    Print(WholeTaskJson(*task, info, absl::Now()));
  } else {
    PrintForPeople(info, *task);
  }
  return absl::OkStatus();
}

constexpr double kPoorDeviation = 0.05;  // of a share: beyond it only the largest can be told apart

absl::Status RunCreate(const CreateOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::CreateTaskRequest request, ToRequest(options.request));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, CreateTask(config, request));
  const double deviation = std::sqrt(info.predicted_mse());
  if (deviation > kPoorDeviation) {
    std::cerr << absl::StrFormat(
        "! a share will be off by %.3g %% on average: tombola plan says what more devices or a "
        "larger epsilon would give\n",
        100 * deviation);
  }
  return Show(info, options.json);
}

absl::Status RunShow(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  v1::GetTaskInfoRequest request;
  request.set_task_id(std::string(AsView(id)));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                           Call(*stub, &v1::CollectorQuery::Stub::GetTask, request));
  return Show(info, options.json);
}

absl::Status RunClose(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Admin(config));
  v1::CloseTaskRequest request;
  request.set_task_id(std::string(AsView(id)));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                           Call(*stub, &v1::CollectorAdmin::Stub::CloseTask, request));
  return Show(info, options.json);
}

absl::Status RunList(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::TaskList list,
      Call(*stub, &v1::CollectorQuery::Stub::ListTasks, v1::ListTasksRequest()));
  Json tasks = Json::array();
  for (const v1::TaskInfo& info : list.tasks()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    tasks.push_back(TaskJson(*task, info, absl::Now()));
  }
  if (options.json) {
    Print(Json{{"tasks", tasks}});
    return absl::OkStatus();
  }
  if (tasks.empty()) std::cout << "no tasks yet: tombola task create makes one\n";
  for (const Json& task : tasks) {
    std::cout << absl::StrFormat("%s  %-6s %9d reports  %s\n", task["task"].get<std::string>(),
                                 task["state"].get<std::string>(), task["reports"].get<int64_t>(),
                                 task["name"].get<std::string>());
  }
  return absl::OkStatus();
}

void AddCreate(CLI::App& group, const Choose& choose) {
  auto options = std::make_shared<CreateOptions>();
  TaskRequestOptions& r = options->request;
  CLI::App* app = group.add_subcommand("create", "Make a task and wait until devices can fetch it");
  app->add_option("--config", options->config, "tombola.json of the deployment")->required();
  app->add_option("--name", r.name, "For people")->required();
  auto* values = app->add_option("--values", r.values_file, "File with one value's name a line");
  app->add_option("--domain", r.domain, "Number of values, named 0, 1, ...")->excludes(values);
  app->add_option("--other", r.other, "The value that stands for everything outside the domain");
  app->add_option("--epsilon", r.epsilon, "Target for every batch")->required();
  app->add_option("--delta", r.delta, "Target for every batch")->required();
  app->add_option(
         "--users", r.users,
         "Planned submissions in a batch: it leaves when they are held; of a period: what it "
         "usually has")
      ->required();
  app->add_option("--min-batch", r.min_batch, "No smaller batch ever leaves [0.9 of --users]");
  app->add_option("--dishonest", r.dishonest,
                  "Share of submissions that may be the observer's own, in [0, 1)")
      ->capture_default_str();
  app->add_option("--interval", r.interval,
                  "The length of a period, such as 24h: an answer for each, at most one submission "
                  "of a device in each; one with too few submissions is destroyed [no periods]");
  app->add_flag("--merge-periods", r.merge_periods,
                "No periods: what is held leaves at the end of each interval if the target holds, "
                "and is held on if not; a device's submissions may then meet in one batch");
  app->add_option("--retry-window", r.retry_window,
                  "How long retries are recognised, an hour or more [24h]");
  app->add_option("--submissions-per-device", r.submissions_per_device,
                  "Over the task's life; the guarantee is stated for all of them")
      ->capture_default_str();
  app->add_option("--lifetime", r.lifetime, "Until the task ends [2160h]");
  app->add_option("--key-list-age", r.key_list_age,
                  "Devices seal by no list of keys that is older, an hour or more [336h]");
  app->add_option("--mechanism", r.mechanism,
                  "local_hash, grr, aue, pure_dump, mix_dump, murs or correlated [the one with the "
                  "least error of those that have a local epsilon]");
  app->add_option("--max-local-epsilon", r.max_local_epsilon,
                  "Cap on what is revealed if shuffler and collector collude");
  app->add_option("--max-messages", r.max_messages, "Cap on the expected messages of a device");
  app->add_option("--range", r.range, "local_hash, murs: fix the number of buckets");
  app->add_option("--fakes", r.fakes,
                  "murs: reports that the shuffler adds to a batch [a tenth of the honest ones]");
  app->add_option("--dummies", r.dummies,
                  "mix_dump: dummies for each value in a batch [half of pure_dump's]");
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose] { choose([options] { return RunCreate(*options); }); });
}

void AddNamed(CLI::App& group, const Choose& choose, const std::string& name,
              const std::string& help, absl::Status (*run)(const NamedOptions&), bool needs_task) {
  auto options = std::make_shared<NamedOptions>();
  CLI::App* app = group.add_subcommand(name, help);
  app->add_option("--config", options->config, "tombola.json of the deployment")->required();
  if (needs_task) app->add_option("--task", options->task, "The task's id")->required();
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose, run] { choose([options, run] { return run(*options); }); });
}

}  // namespace

void AddTask(CLI::App& app, const Choose& choose) {
  CLI::App* group = app.add_subcommand("task", "Make, show, list and close tasks");
  group->require_subcommand(1);
  AddCreate(*group, choose);
  AddNamed(*group, choose, "show", "One task", &RunShow, true);
  AddNamed(*group, choose, "list", "All tasks", &RunList, false);
  AddNamed(*group, choose, "close",
           "End a task: what is held leaves if its guarantee holds, else it is destroyed",
           &RunClose, true);
}

}  // namespace tombola::cli
