// tombola demo: the whole path once, on this machine.
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "cli/demo/commutes.h"
#include "cli/demo/deployment.h"
#include "cli/demo/population.h"
#include "cli/demo/slept_clock.h"
#include "cli/demo/year.h"
#include "cli/query/answer_text.h"
#include "cli/query/face.h"
#include "cli/query/strings_wait.h"
#include "cli/report/report_many.h"
#include "cli/task/request.h"
#include "common/base/decimal.h"
#include "common/json/answer.h"
#include "common/json/mechanism.h"
#include "common/kind/histogram.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/mechanism/every.h"
#include "common/mechanism/strings.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

constexpr int64_t kUsualDays = 365;

struct DemoOptions {
  int64_t devices = 100000;
  std::optional<int64_t> periods;
  double epsilon = 1;
  double delta = 1e-6;
  std::string kind{Histogram::kName};
  std::optional<std::string> mechanism;
  double confidence = 0.95;
  std::string directory;
  bool json = false;
  bool stay = false;
};

// Of a stream the one whose devices send few messages, so that a year of them takes a minute.
std::string UsualMechanism(absl::string_view kind) {
  if (kind == Histogram::kName) return "local_hash";
  return kind == StreamKind::kName ? "pure_dump" : "";
}

// That --mechanism may name.
std::vector<std::string> MechanismsOf(absl::string_view kind) {
  if (kind == StringsKind::kName) {
    std::vector<std::string> names;
    for (const auto way : {strings::StringMessages::kOne, strings::StringMessages::kDummies,
                           strings::StringMessages::kEveryLevel}) {
      names.emplace_back(mechanism::NameOf(way));
    }
    return names;
  }
  return mechanism::MechanismNames();
}

// What the size of a task's domain counts.
std::string DomainWord(const Task& task) {
  if (task.kind().name() == StringsKind::kName) return "symbols";
  return task.domain().labels().empty() ? "cells" : "values";
}

absl::StatusOr<v1::TaskInfo> MakeTask(const Config& config, const DemoOptions& options,
                                      const Population& population, const std::string& directory) {
  TaskRequestOptions request;
  TOMBOLA_RETURN_IF_ERROR(population.Describe(directory, &request));
  request.epsilon = options.epsilon;
  request.delta = options.delta;
  request.mechanism = options.mechanism.value_or(UsualMechanism(options.kind));
  if (request.users == 0) request.users = static_cast<uint64_t>(options.devices);
  request.same_name = true;  // a demonstration may be repeated where another has been
  TOMBOLA_ASSIGN_OR_RETURN(const v1::CreateTaskRequest wire, ToRequest(request));
  return CreateTask(config, wire);
}

// The batch leaves by itself once the last device has reported; the answer follows.
absl::StatusOr<v1::Answer> WaitForAnswer(v1::CollectorQuery::Stub& analyst, const Task& task,
                                         const QueryOptions& question) {
  const QueryFace& face = QueryFaceOf(task);
  v1::GetAnswerRequest request;
  request.set_task_id(std::string(AsView(task.id())));
  request.set_confidence(question.confidence);
  request.set_postprocess(
      PostprocessFromName(face.usual_postprocess).value_or(v1::POSTPROCESS_UNSPECIFIED));
  TOMBOLA_RETURN_IF_ERROR(face.ask(question, task, &request));
  if (question.at > 0) {
    request.set_first_period(1);
    request.set_last_period(question.at);
  }
  const absl::Time deadline = absl::Now() + absl::Minutes(10);
  while (true) {
    auto answer = AskUntilFound(analyst, request);
    if (!absl::IsFailedPrecondition(answer.status()) || absl::Now() > deadline) {
      return answer;
    }
    absl::SleepFor(absl::Milliseconds(50));
  }
}

// A question, its answer, and what is true.
struct Answered {
  QueryOptions question;
  v1::Answer answer;
  Truth truth;
};

absl::StatusOr<std::vector<Answered>> AskAll(const Config& config, const Task& task,
                                             const Population& population, double confidence) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto analyst, Analyst(config));
  std::vector<Answered> all;
  for (const QueryOptions& question : population.Questions()) {
    Answered& one = all.emplace_back(Answered{.question = question});
    one.question.confidence = confidence;
    one.question.postprocess = std::string(UsualPostprocess(task));
    TOMBOLA_ASSIGN_OR_RETURN(one.answer, WaitForAnswer(*analyst, task, one.question));
    one.truth = population.TruthOf(one.answer, task);
  }
  return all;
}

// As on the command line of `tombola query`.
std::string WordsOf(const QueryOptions& question) {
  std::string words;
  for (const std::string& where : question.where) absl::StrAppend(&words, " --where ", where);
  if (!question.measure.empty()) absl::StrAppend(&words, " --measure ", question.measure);
  if (!question.by.empty()) absl::StrAppend(&words, " --by ", absl::StrJoin(question.by, ","));
  if (question.at > 0) absl::StrAppend(&words, " --at ", question.at);
  if (!question.quantile.empty()) absl::StrAppend(&words, " --quantile ", question.quantile);
  return words;
}

// One object: the answer, or where there are several questions the answers.
std::string AllJson(const std::vector<Answered>& all, const Json& more) {
  if (all.size() == 1) return AnswerJson(all[0].answer, all[0].truth, more);
  std::string text = ToText(more);
  text.pop_back();
  return absl::StrCat(text, ",\"answers\":[",
                      absl::StrJoin(all, ",",
                                    [](std::string* out, const Answered& one) {
                                      absl::StrAppend(out, AnswerJson(one.answer, one.truth));
                                    }),
                      "]}");
}

// All are about the same batch, or the last about all batches: the guarantee is written once.
void WriteAll(const std::vector<Answered>& all, const Task& task, const ManyOutcome& outcome) {
  for (const Answered& one : all) {
    std::cout << "\n";
    if (all.size() > 1) std::cout << "query" << WordsOf(one.question) << "\n";
    QueryFaceOf(task).write_table(one.question, one.answer, task, one.truth, std::cout);
  }
  std::cout << "\n"
            << outcome.accepted << " accepted, " << outcome.duplicates << " duplicates, "
            << DescribeGuarantee(all.back().answer);
}

// Ends the process when it is interrupted: the daemons end with it, and the scratch directory is
// removed. Signals are blocked before any other thread exists.
class Interruption {
 public:
  explicit Interruption(std::string scratch)
      : scratch_(std::move(scratch)), thread_([this] { Wait(); }) {}
  ~Interruption() {
    done_ = true;
    thread_.join();
  }

 private:
  void Wait() const {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&set, signal);
    const timespec pause{.tv_sec = 0, .tv_nsec = 100'000'000};
    while (!done_) {
      if (sigtimedwait(&set, nullptr, &pause) < 0) continue;
      std::error_code error;
      if (!scratch_.empty()) std::filesystem::remove_all(scratch_, error);
      _exit(130);
    }
  }

  const std::string scratch_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// Days pass faster than the collector looks at its keys.
std::vector<std::string> CollectorFlags(const Commutes* commutes) {
  if (commutes == nullptr) return {};
  return {"--key-announce", "1440h"};
}

Json ToJson(const YearErrors& errors) {
  return {{"counts", errors.totals},
          {"root_mean_square", errors.root_mean_square},
          {"expected", errors.expected},
          {"largest", errors.largest},
          {"inside", errors.inside}};
}

// `clock`: of a stream. With --stay `interruption` ends when the histogram is there: the deployment
// waits for signals then.
absl::Status RunIn(const std::string& directory, const DemoOptions& options,
                   std::optional<SleptClock>& clock, std::optional<Interruption>& interruption) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const auto population,
      Population::Create(options.kind, options.devices, options.periods.value_or(kUsualDays)));
  Commutes* const commutes = population->over_time();
  std::cerr << "starting shuffler and collector in " << directory << "\n";
  TOMBOLA_ASSIGN_OR_RETURN(Deployment deployment,
                           Deployment::Start({.directory = directory,
                                              .dashboard = options.stay,
                                              .collector_flags = CollectorFlags(commutes)}));
  const Config& config = deployment.config();
  if (options.stay) std::cerr << "dashboard  " << config.dashboard << "\n";
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                           MakeTask(config, options, *population, directory));
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  std::cerr << absl::StrFormat("task %s: %d %s, epsilon %s, delta %s\nmechanism %s, %s\n",
                               ToHex(task->id()), task->domain().size(), DomainWord(*task),
                               RoundedUp(options.epsilon, 4), RoundedUp(options.delta, 4),
                               task->scheme()->name(), DescribeParameters(*task->scheme()));
  ClientOptions client;
  client.shuffler = config.shuffler;
  client.roots_file = config.roots;
  client.task_id = ToHex(task->id());
  client.policy.max_epsilon = options.epsilon;
  client.policy.max_delta = options.delta;
  client.policy.max_total_epsilon = options.epsilon;
  client.policy.max_total_delta = options.delta;
  client.policy.max_local_epsilon = std::numeric_limits<double>::infinity();
  client.policy.min_batch = task->batch_policy().smallest_batch;
  if (commutes != nullptr) commutes->Know(task->nodes()->structure());
  Progress progress("devices", options.devices);
  ManyOutcome outcome;
  const int threads = std::max(2u, std::thread::hardware_concurrency());
  TOMBOLA_ASSIGN_OR_RETURN(const Clients clients, CreateClients(client, threads));
  if (commutes != nullptr) {
    TOMBOLA_RETURN_IF_ERROR(
        ReportYear(config, *task, clients, *commutes, *clock, &progress, &outcome));
  } else {
    TOMBOLA_RETURN_IF_ERROR(ReportMany(
        clients, [&](size_t limit) { return Devices{.values = population->Next(limit)}; },
        &progress, &outcome));
  }
  progress.Finish();
  if (commutes == nullptr) std::cerr << "the batch is full: permuting, forwarding, opening\n";
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Answered> all,
                           AskAll(config, *task, *population, options.confidence));
  std::optional<YearErrors> errors;
  if (commutes != nullptr) {
    TOMBOLA_ASSIGN_OR_RETURN(errors, ErrorsOfYear(config, *task, *commutes, options.confidence));
  }
  // Whoever sees the answer may interrupt: from now on that is an orderly end.
  if (options.stay) interruption.reset();
  if (options.json) {
    Json more = {{"accepted", outcome.accepted}};
    if (errors.has_value()) more["errors"] = ToJson(*errors);
    if (options.stay) more["dashboard"] = config.dashboard;
    std::cout << AllJson(all, more) << std::endl;
  } else {
    WriteAll(all, *task, outcome);
    if (errors.has_value()) WriteYearErrors(*errors, options.confidence, std::cout);
  }
  absl::Status ended;
  if (options.stay) {
    (options.json ? std::cerr : std::cout)
        << "\ndashboard  " << config.dashboard << "\nrunning; Ctrl-C ends both" << std::endl;
    ended = deployment.WaitForEnd();
  }
  const absl::Status stopped = deployment.Stop();
  TOMBOLA_RETURN_IF_ERROR(ended.ok() ? stopped : ended);
  std::cerr << "both daemons stopped cleanly\n";
  return absl::OkStatus();
}

absl::Status RunDemo(const DemoOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return absl::InvalidArgumentError("--confidence must be in (0, 1)");
  }
  if (options.periods.has_value() && options.kind != StreamKind::kName) {
    return absl::InvalidArgumentError("--periods is for --kind stream");
  }
  const std::vector<std::string> mechanisms = MechanismsOf(options.kind);
  if (options.mechanism.has_value() && !options.mechanism->empty() &&
      std::find(mechanisms.begin(), mechanisms.end(), *options.mechanism) == mechanisms.end()) {
    return absl::InvalidArgumentError(absl::StrCat("--mechanism must be one of ",
                                                   absl::StrJoin(mechanisms, ", "), ", is ",
                                                   *options.mechanism));
  }
  std::optional<SleptClock> clock;
  if (options.kind == StreamKind::kName) {
    TOMBOLA_ASSIGN_OR_RETURN(SleptClock entered, SleptClock::Enter());
    clock.emplace(std::move(entered));
  }
  Deployment::BlockSignals();
  if (!options.directory.empty()) {
    std::optional<Interruption> interruption(std::in_place, "");
    return RunIn(options.directory, options, clock, interruption);
  }
  std::error_code error;
  const std::filesystem::path scratch = std::filesystem::temp_directory_path(error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("TMPDIR names no directory (", error.message(), "); or use --dir"));
  }
  std::string directory = (scratch / "tombola-demo-XXXXXX").string();
  if (mkdtemp(directory.data()) == nullptr) return absl::ErrnoToStatus(errno, "mkdtemp");
  const absl::Cleanup remove = [&directory] {
    std::error_code error;
    std::filesystem::remove_all(directory, error);
  };
  std::optional<Interruption> interruption(std::in_place, directory);
  return RunIn(directory, options, clock, interruption);
}

}  // namespace

void AddDemo(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* demo = app.add_subcommand(
      "demo", "The whole path once: daemons, a task, devices, the answer beside the truth");
  demo->add_option("--devices", options->devices, "Simulated devices, through the SDK over TLS")
      ->check(CLI::Range(int64_t{2}, int64_t{100000000}))
      ->capture_default_str();
  demo->add_option("--epsilon", options->epsilon, "The task's target")->capture_default_str();
  demo->add_option("--delta", options->delta, "The task's target")->capture_default_str();
  demo->add_option(
          "--kind", options->kind,
          "histogram: the app that a device uses most; set: those that are installed; "
          "key_value: ratings of apps; number: hours of screen time; records: purchases, "
          "joined with a table of products; stream: ways to work, a year of days in a minute; "
          "strings: what was searched for")
      ->capture_default_str();
  demo->add_option(
      "--mechanism", options->mechanism,
      "The task's, as in `task create` [local_hash; of streams pure_dump, of other kinds the "
      "planner's]");
  demo->add_option("--periods", options->periods,
                   absl::StrCat("stream: days, of which each has its share of the devices, up to "
                                "3660 [",
                                kUsualDays, "]"))
      ->check(CLI::Range(int64_t{1}, int64_t{3660}));
  demo->add_option("--confidence", options->confidence, "Of each bin's interval")
      ->capture_default_str();
  demo->add_option("--dir", options->directory,
                   "Keep everything there [a directory that is removed]");
  demo->add_flag("--stay", options->stay,
                 "Serve the dashboard from the start, and stay until interrupted");
  demo->add_flag("--json", options->json, "One JSON object on standard output");
  demo->callback([options, choose] { choose([options] { return RunDemo(*options); }); });
}

}  // namespace tombola::cli
