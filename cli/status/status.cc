// tombola status
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "common/base/decimal.h"
#include "common/base/time_text.h"
#include "common/json/text.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

constexpr absl::Duration kWatchEvery = absl::Seconds(2);

struct StatusOptions {
  std::string config;
  std::string task;
  bool metrics = false;
  bool json = false;
  bool watch = false;
};

std::string Closes(int64_t seconds) { return TimeText(absl::FromUnixSeconds(seconds)); }

// Whether one of two held batches leaves first: that of the earlier period, else the larger one.
bool Nearer(const v1::HeldBatch& one, const v1::HeldBatch& other) {
  if (one.period() != other.period()) return one.period() < other.period();
  return one.waiting() > other.waiting();
}

// The shuffler's exact numbers of one task; null where there is none to ask. The batch that is
// nearest to leaving speaks for the task; all of them are in `held`.
void SayShuffler(const v1::ShufflerTaskStatus* shuffler, Json* task) {
  if (shuffler == nullptr) {
    for (const char* member :
         {"waiting", "needed", "missing", "planned", "epsilon", "reason", "held", "accepted",
          "duplicates", "forwarded", "expired", "released_batches", "waiting_delivery"}) {
      (*task)[member] = nullptr;
    }
    return;
  }
  Json held = Json::array();
  const v1::HeldBatch* nearest = nullptr;
  uint64_t waiting = 0;
  for (const v1::HeldBatch& batch : shuffler->held()) {
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
  const bool of_period = nearest != nullptr && nearest->period() != 0;
  task->update(Json{
      {"waiting", of_period ? nearest->waiting() : waiting},
      {"needed", shuffler->needed()},
      {"missing", nearest == nullptr ? shuffler->needed() : nearest->missing()},
      {"planned", shuffler->planned()},
      {"epsilon", nearest != nullptr && nearest->has_epsilon() ? Json(nearest->epsilon()) : Json()},
      {"reason", nearest != nullptr ? nearest->reason() : "nothing is held"},
      {"held", std::move(held)},
      {"accepted", shuffler->accepted()},
      {"duplicates", shuffler->duplicates()},
      {"forwarded", shuffler->forwarded()},
      {"expired", shuffler->expired()},
      {"released_batches", shuffler->released_batches()},
      {"waiting_delivery", shuffler->waiting_delivery()}});
}

// What a held batch is of, besides its key.
std::string PartText(const Json& batch) {
  for (const char* const part : {"node", "period"}) {
    if (batch[part].is_null()) continue;
    return absl::StrFormat(", %s %d", part, batch[part].get<uint64_t>());
  }
  return "";
}

// The collector's numbers, likewise.
void SayCollector(const v1::TaskInfo* collector, Json* task) {
  if (collector == nullptr) {
    for (const char* member : {"counted_batches", "quarantined_batches", "expired_batches",
                               "reports", "messages", "fakes", "rejected"}) {
      (*task)[member] = nullptr;
    }
    return;
  }
  task->update(Json{{"counted_batches", collector->counted_batches()},
                    {"quarantined_batches", collector->quarantined_batches()},
                    {"expired_batches", collector->expired_batches()},
                    {"reports", collector->reports()},
                    {"messages", collector->messages()},
                    {"fakes", collector->fakes()},
                    {"rejected", collector->rejected()}});
}

// Whether a submission counts several times, because it is in several batches.
bool InNodes(const Json& task) { return task["counted_in"] == "nodes"; }

void PrintShuffler(const Json& task) {
  std::cout << absl::StrFormat("  held      %d of %d planned, %d needed: %s\n",
                               task["waiting"].get<int64_t>(), task["planned"].get<int64_t>(),
                               task["needed"].get<int64_t>(), task["reason"].get<std::string>());
  if (task["held"].size() > 1) {
    for (const Json& batch : task["held"]) {
      std::cout << absl::StrFormat("    key %s%s: %d, %s\n", batch["key"].get<std::string>(),
                                   PartText(batch), batch["waiting"].get<int64_t>(),
                                   batch["reason"].get<std::string>());
    }
  }
  const int64_t missing = task["missing"].get<int64_t>();
  std::string ends;
  if (!task["interval_ends"].is_null()) {
    ends = absl::StrCat("the interval ends ", task["interval_ends"].get<std::string>());
  }
  if (missing > 0 && task["state"] == "open") {
    std::cout << absl::StrFormat("  missing   %d submissions until the target holds%s\n", missing,
                                 ends.empty() ? "" : "; " + ends);
  } else if (!ends.empty()) {
    std::cout << "  missing   nothing; " << ends << "\n";
  }
  if (!task["epsilon"].is_null()) {
    std::cout << absl::StrFormat("  epsilon   %s if it left now\n",
                                 RoundedUp(task["epsilon"].get<double>(), 4));
  }
  std::cout << absl::StrFormat(
      "  shuffler  %saccepted %d, duplicates %d, forwarded %d, expired %d, batches to deliver %d\n",
      InNodes(task) ? "each submission once for every node that it is in:\n            " : "",
      task["accepted"].get<int64_t>(), task["duplicates"].get<int64_t>(),
      task["forwarded"].get<int64_t>(), task["expired"].get<int64_t>(),
      task["waiting_delivery"].get<int64_t>());
}

void PrintForPeople(const Json& task) {
  std::cout << absl::StrFormat("%s (%s)  %s\n", task["name"].get<std::string>(),
                               task["state"].get<std::string>(), task["task"].get<std::string>());
  if (!task["accepted"].is_null()) PrintShuffler(task);
  if (task["reports"].is_null()) return;
  const int64_t batches = task["counted_batches"].get<int64_t>();
  std::cout << absl::StrFormat(
      "  collector %d %s in %d batch%s, %d rejected, %d quarantined\n",
      task["reports"].get<int64_t>(),
      InNodes(task) ? "submissions, each once for every node that it is in," : "reports", batches,
      batches == 1 ? "" : "es", task["rejected"].get<int64_t>(),
      task["quarantined_batches"].get<int64_t>());
}

// What the shuffler says of its clock and the collector's; null: all is well.
Json ClockDoubt(const v1::ShufflerStatus& status) {
  if (!status.clock_doubt().empty()) return status.clock_doubt();
  if (status.collector_clock_doubt()) return "the collector is in doubt of its clock";
  return nullptr;
}

absl::Status PrintMetrics(const Config& config, bool json) {
  Json texts;
  if (MayAskShuffler(config)) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto shuffler, Operator(config));
    TOMBOLA_ASSIGN_OR_RETURN(
        const v1::ShufflerMetrics metrics,
        Call(*shuffler, &v1::ShufflerOperator::Stub::GetMetrics, v1::GetShufflerMetricsRequest()));
    texts["shuffler"] = metrics.text();
  }
  if (texts.empty() || config.administrator.IsAtHand()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto collector, Admin(config));
    TOMBOLA_ASSIGN_OR_RETURN(
        const v1::CollectorMetrics metrics,
        Call(*collector, &v1::CollectorAdmin::Stub::GetMetrics, v1::GetCollectorMetricsRequest()));
    texts["collector"] = metrics.text();
  }
  if (json) {
    Print(texts);
  } else {
    for (const Json& text : texts) std::cout << text.get<std::string>();
  }
  return absl::OkStatus();
}

// What the daemons that the caller may ask say, by the tasks' ids.
struct Answers {
  std::optional<v1::ShufflerStatus> shuffler;
  bool collector = false;
  std::vector<std::string> order;
  absl::flat_hash_map<std::string, v1::ShufflerTaskStatus> held;
  absl::flat_hash_map<std::string, v1::TaskInfo> counted;
};

absl::Status AskShuffler(const Config& config, const std::optional<TaskId>& only,
                         Answers* answers) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Operator(config));
  v1::GetShufflerStatusRequest request;
  if (only.has_value()) request.set_task_id(std::string(AsView(*only)));
  TOMBOLA_ASSIGN_OR_RETURN(answers->shuffler,
                           Call(*stub, &v1::ShufflerOperator::Stub::GetStatus, request));
  for (const v1::ShufflerTaskStatus& task : answers->shuffler->tasks()) {
    answers->order.push_back(task.task_id());
    answers->held[task.task_id()] = task;
  }
  return absl::OkStatus();
}

absl::Status AskCollector(const Config& config, const std::optional<TaskId>& only,
                          Answers* answers) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  answers->collector = true;
  if (only.has_value()) {
    v1::GetTaskInfoRequest request;
    request.set_task_id(std::string(AsView(*only)));
    TOMBOLA_ASSIGN_OR_RETURN(answers->counted[request.task_id()],
                             Call(*stub, &v1::CollectorQuery::Stub::GetTask, request));
    if (!answers->shuffler.has_value()) answers->order.push_back(request.task_id());
    return absl::OkStatus();
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::TaskList list,
      Call(*stub, &v1::CollectorQuery::Stub::ListTasks, v1::ListTasksRequest()));
  for (const v1::TaskInfo& info : list.tasks()) {
    answers->counted[info.task_id()] = info;
    if (!answers->shuffler.has_value()) answers->order.push_back(info.task_id());
  }
  return absl::OkStatus();
}

// When the present interval of an open task is over; null where there is none.
Json IntervalEnds(const Task& task, bool closed, absl::Time now) {
  const absl::Duration interval = task.batch_policy().interval;
  if (interval == absl::ZeroDuration() || closed || now < task.not_before() ||
      now >= task.not_after()) {
    return nullptr;
  }
  absl::Duration within;
  const int64_t number = absl::IDivDuration(now - task.not_before(), interval, &within);
  const absl::Time ends = task.not_before() + (number + 1) * interval;
  return TimeText(std::min(ends, task.not_after()));
}

absl::StatusOr<Json> Describe(const std::string& id, const Answers& answers,
                              const Json& clock_doubt) {
  const auto held = answers.held.find(id);
  const auto counted = answers.counted.find(id);
  const bool of_shuffler = held != answers.held.end(),
             of_collector = counted != answers.counted.end();
  Json task = {{"task", absl::BytesToHexString(id)}};
  bool closed = of_shuffler && held->second.closed();
  // Of a stream counts are those of its nodes; null: nobody says of what kind the task is.
  task["counted_in"] = nullptr;
  if (of_collector) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto parsed, Task::Parse(counted->second.task()));
    closed = of_shuffler ? closed : counted->second.closed();
    task["name"] = parsed->name();
    task["counted_in"] = parsed->nodes() == nullptr ? "submissions" : "nodes";
    task["state"] = StateOf(*parsed, closed, absl::Now());
    task["interval_ends"] = IntervalEnds(*parsed, closed, absl::Now());
  } else {
    task["name"] = held->second.name();
    task["state"] = closed ? "closed" : "open";
    task["interval_ends"] = nullptr;  // the shuffler says of what it holds when it closes
  }
  SayShuffler(of_shuffler ? &held->second : nullptr, &task);
  SayCollector(of_collector ? &counted->second : nullptr, &task);
  task["clock_doubt"] = clock_doubt;
  return task;
}

// Why a part of the status is not there, for people.
void SayWhatIsMissing(const Answers& answers) {
  if (!answers.shuffler.has_value()) {
    std::cerr << "what the shuffler holds is for its operator, whose certificate is not at hand\n";
  } else if (!answers.collector) {
    std::cerr << "what the collector has counted is for analysts and administrators, of whom no "
                 "certificate is at hand\n";
  }
}

absl::Status RunStatus(const StatusOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  if (options.metrics) return PrintMetrics(config, options.json);
  std::optional<TaskId> only;
  if (!options.task.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(only, FindTask(config, "--task", options.task));
  }
  Answers answers;
  const bool collector = MayAskCollector(config);
  // Who has no certificate at all is told which it takes.
  if (MayAskShuffler(config) || !collector) {
    TOMBOLA_RETURN_IF_ERROR(AskShuffler(config, only, &answers));
  }
  if (collector) TOMBOLA_RETURN_IF_ERROR(AskCollector(config, only, &answers));
  const Json clock_doubt = answers.shuffler.has_value() ? ClockDoubt(*answers.shuffler) : Json();
  Json tasks = Json::array();
  for (const std::string& id : answers.order) {
    // The collector leaves archived tasks out of lists, of which the shuffler knows nothing.
    if (!only.has_value() && answers.collector && !answers.counted.contains(id)) continue;
    TOMBOLA_ASSIGN_OR_RETURN(Json task, Describe(id, answers, clock_doubt));
    tasks.push_back(std::move(task));
  }
  Json restores = Json::array();
  if (answers.shuffler.has_value()) {
    for (const v1::CollectorRestore& restore : answers.shuffler->restores()) {
      restores.push_back({{"taken", TimeText(absl::FromUnixSeconds(restore.taken()))},
                          {"restored", TimeText(absl::FromUnixSeconds(restore.restored()))}});
    }
  }
  SayWhatIsMissing(answers);
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

// Again and again until somebody ends it; on a terminal each time in the place of the former.
absl::Status WatchStatus(const StatusOptions& options) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  while (true) {
    if (terminal && !options.json) std::cout << "\033[H\033[2J";
    TOMBOLA_RETURN_IF_ERROR(RunStatus(options));
    std::cout << std::flush;
    if (!std::cout) return absl::OkStatus();  // who read it has gone
    absl::SleepFor(kWatchEvery);
  }
}

}  // namespace

void AddStatus(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App* status =
      app.add_subcommand("status", "Why a batch is or is not released: waiting, needed, epsilon");
  AddConfigFlag(*status, &options->config);
  status->add_option("--task", options->task, absl::StrCat(kTaskFlagHelp, " [all]"));
  status->add_flag("--metrics", options->metrics,
                   "Both daemons' counters in Prometheus' text format instead");
  status->add_flag("--json", options->json, "One JSON object on standard output");
  status->add_flag("--watch", options->watch,
                   "Again every two seconds, until interrupted; with --json a line each time");
  status->callback([options, choose] {
    choose([options] { return options->watch ? WatchStatus(*options) : RunStatus(*options); });
  });
}

}  // namespace tombola::cli
