// tombola status
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "common/base/decimal.h"
#include "common/base/time_text.h"
#include "common/json/text.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

struct StatusOptions {
  std::string config;
  std::string task;
  bool metrics = false;
  bool json = false;
};

std::string Closes(int64_t seconds) { return TimeText(absl::FromUnixSeconds(seconds)); }

// Whether one of two held batches leaves first: that of the earlier period, else the larger one.
bool Nearer(const v1::HeldBatch& one, const v1::HeldBatch& other) {
  if (one.period() != other.period()) return one.period() < other.period();
  return one.waiting() > other.waiting();
}

// The shuffler's exact numbers and the collector's, for one task. The batch that is nearest to
// leaving speaks for the task; all of them are in `held`.
Json Describe(const v1::ShufflerTaskStatus& shuffler, const v1::TaskInfo& collector,
              std::string state, Json clock_doubt) {
  Json held = Json::array();
  const v1::HeldBatch* nearest = nullptr;
  uint64_t waiting = 0;
  for (const v1::HeldBatch& batch : shuffler.held()) {
    waiting += batch.waiting();
    if (nearest == nullptr || Nearer(batch, *nearest)) nearest = &batch;
    held.push_back({{"key", absl::BytesToHexString(batch.key_id())},
                    {"period", batch.period() == 0 ? Json() : Json(batch.period())},
                    {"node", batch.node() == 0 ? Json() : Json(batch.node())},
                    {"waiting", batch.waiting()},
                    {"missing", batch.missing()},
                    {"epsilon", batch.has_epsilon() ? Json(batch.epsilon()) : Json()},
                    {"reason", batch.reason()},
                    {"closes", batch.closes() == 0 ? Json() : Json(Closes(batch.closes()))}});
  }
  return Json{
      {"task", absl::BytesToHexString(shuffler.task_id())},
      {"name", shuffler.name()},
      {"state", std::move(state)},
      {"waiting", nearest != nullptr && nearest->period() != 0 ? nearest->waiting() : waiting},
      {"needed", shuffler.needed()},
      {"missing", nearest == nullptr ? shuffler.needed() : nearest->missing()},
      {"planned", shuffler.planned()},
      {"epsilon", nearest != nullptr && nearest->has_epsilon() ? Json(nearest->epsilon()) : Json()},
      {"reason", nearest != nullptr ? nearest->reason() : "nothing is held"},
      {"held", std::move(held)},
      {"accepted", shuffler.accepted()},
      {"duplicates", shuffler.duplicates()},
      {"forwarded", shuffler.forwarded()},
      {"expired", shuffler.expired()},
      {"released_batches", shuffler.released_batches()},
      {"waiting_delivery", shuffler.waiting_delivery()},
      {"counted_batches", collector.counted_batches()},
      {"quarantined_batches", collector.quarantined_batches()},
      {"expired_batches", collector.expired_batches()},
      {"reports", collector.reports()},
      {"messages", collector.messages()},
      {"fakes", collector.fakes()},
      {"rejected", collector.rejected()},
      {"clock_doubt", std::move(clock_doubt)}};
}

// What a held batch is of, besides its key.
std::string PartText(const Json& batch) {
  for (const char* const part : {"node", "period"}) {
    if (batch[part].is_null()) continue;
    return absl::StrFormat(", %s %d", part, batch[part].get<uint64_t>());
  }
  return "";
}

void PrintForPeople(const Json& task) {
  std::cout << absl::StrFormat("%s (%s)  %s\n  held      %d of %d planned, %d needed: %s\n",
                               task["name"].get<std::string>(), task["state"].get<std::string>(),
                               task["task"].get<std::string>(), task["waiting"].get<int64_t>(),
                               task["planned"].get<int64_t>(), task["needed"].get<int64_t>(),
                               task["reason"].get<std::string>());
  if (task["held"].size() > 1) {
    for (const Json& batch : task["held"]) {
      std::cout << absl::StrFormat("    key %s%s: %d, %s\n", batch["key"].get<std::string>(),
                                   PartText(batch), batch["waiting"].get<int64_t>(),
                                   batch["reason"].get<std::string>());
    }
  }
  if (!task["epsilon"].is_null()) {
    std::cout << absl::StrFormat("  epsilon   %s if it left now\n",
                                 RoundedUp(task["epsilon"].get<double>(), 4));
  }
  std::cout << absl::StrFormat(
      "  shuffler  accepted %d, duplicates %d, forwarded %d, expired %d, batches to deliver %d\n"
      "  collector %d reports in %d batch%s, %d rejected, %d quarantined\n",
      task["accepted"].get<int64_t>(), task["duplicates"].get<int64_t>(),
      task["forwarded"].get<int64_t>(), task["expired"].get<int64_t>(),
      task["waiting_delivery"].get<int64_t>(), task["reports"].get<int64_t>(),
      task["counted_batches"].get<int64_t>(),
      task["counted_batches"].get<int64_t>() == 1 ? "" : "es", task["rejected"].get<int64_t>(),
      task["quarantined_batches"].get<int64_t>());
}

// What the shuffler says of its clock and the collector's; null: all is well.
Json ClockDoubt(const v1::ShufflerStatus& status) {
  if (!status.clock_doubt().empty()) return status.clock_doubt();
  if (status.collector_clock_doubt()) return "the collector is in doubt of its clock";
  return nullptr;
}

absl::Status PrintMetrics(const Config& config, bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto shuffler, Operator(config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto collector, Admin(config));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::ShufflerMetrics first,
      Call(*shuffler, &v1::ShufflerOperator::Stub::GetMetrics, v1::GetShufflerMetricsRequest()));
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::CollectorMetrics second,
      Call(*collector, &v1::CollectorAdmin::Stub::GetMetrics, v1::GetCollectorMetricsRequest()));
  if (json) {
    Print(Json{{"shuffler", first.text()}, {"collector", second.text()}});
  } else {
    std::cout << first.text() << second.text();
  }
  return absl::OkStatus();
}

absl::Status RunStatus(const StatusOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  if (options.metrics) return PrintMetrics(config, options.json);
  v1::GetShufflerStatusRequest request;
  if (!options.task.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
    request.set_task_id(std::string(AsView(id)));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const auto shuffler, Operator(config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto collector, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::ShufflerStatus status,
                           Call(*shuffler, &v1::ShufflerOperator::Stub::GetStatus, request));
  const Json clock_doubt = ClockDoubt(status);
  Json tasks = Json::array();
  for (const v1::ShufflerTaskStatus& task : status.tasks()) {
    v1::GetTaskInfoRequest info_request;
    info_request.set_task_id(task.task_id());
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                             Call(*collector, &v1::CollectorQuery::Stub::GetTask, info_request));
    TOMBOLA_ASSIGN_OR_RETURN(const auto parsed, Task::Parse(info.task()));
    tasks.push_back(
        Describe(task, info, StateOf(*parsed, task.closed(), absl::Now()), clock_doubt));
  }
  Json restores = Json::array();
  for (const v1::CollectorRestore& restore : status.restores()) {
    restores.push_back({{"taken", TimeText(absl::FromUnixSeconds(restore.taken()))},
                        {"restored", TimeText(absl::FromUnixSeconds(restore.restored()))}});
  }
  if (options.json) {
    if (!options.task.empty()) tasks.front()["restores"] = restores;
    Print(options.task.empty() ? Json{{"tasks", tasks}, {"restores", restores}} : tasks.front());
    return absl::OkStatus();
  }
  if (!clock_doubt.is_null()) {
    std::cout << clock_doubt.get<std::string>()
              << "\n  devices wait, no interval, window, key or task ends, nothing is destroyed\n";
  }
  for (const Json& restore : restores) {
    std::cout << absl::StrFormat(
        "the collector was restored at %s from a copy of %s: batches that it counted in between "
        "are lost\n",
        restore["restored"].get<std::string>(), restore["taken"].get<std::string>());
  }
  if (tasks.empty()) std::cout << "no tasks yet: tombola task create makes one\n";
  for (const Json& task : tasks) PrintForPeople(task);
  return absl::OkStatus();
}

}  // namespace

void AddStatus(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* status =
      app.add_subcommand("status", "Why a batch is or is not released: waiting, needed, epsilon");
  status->add_option("--config", options->config, "tombola.json of the deployment")->required();
  status->add_option("--task", options->task, "The task's id [all]");
  status->add_flag("--metrics", options->metrics,
                   "Both daemons' counters in Prometheus' text format instead");
  status->add_flag("--json", options->json, "One JSON object on standard output");
  status->callback([options, choose] { choose([options] { return RunStatus(*options); }); });
}

}  // namespace tombola::cli
