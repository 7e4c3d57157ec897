// tombola task create | show | list | close
#include "common/task/task.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "cli/command/command.h"
#include "cli/command/sizes_file.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "cli/task/earlier_sizes.h"
#include "cli/task/limit_choice.h"
#include "cli/task/request.h"
#include "cli/task/task_text.h"
#include "common/json/task.h"
#include "common/mechanism/every.h"
#include "common/plan/plan.h"

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
  bool archived = false;  // of a list
  bool restore = false;   // of archiving
};

// What was planned and not made has no id that it will keep.
absl::Status ShowPlanned(const v1::TaskInfo& info, bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  if (json) {
    Json planned = WholeTaskJson(*task, info, absl::Now());
    planned["task"] = nullptr;
    planned["state"] = "planned";
    planned["dry_run"] = true;
    Print(planned);
    return absl::OkStatus();
  }
  const std::string text = TaskText(*task, info, absl::Now());
  std::cout << "a dry run: nothing is made\n" << text.substr(text.find('\n') + 1);
  return absl::OkStatus();
}

absl::Status Show(const v1::TaskInfo& info, bool json) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  if (json) {
    Print(WholeTaskJson(*task, info, absl::Now()));
  } else {
    std::cout << TaskText(*task, info, absl::Now());
  }
  return absl::OkStatus();
}

// By the file or the task that says how many records devices have.
absl::Status SetMaxRecords(const Config& config, const TaskRequestOptions& options,
                           v1::CreateTaskRequest* request) {
  std::optional<EarlierRecords> from;
  if (options.sizes_of.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(mechanism::RecordSizes stated, ReadSizesFile(options.sizes_file));
    from = EarlierRecords{.name = options.sizes_file, .answered = {.sizes = std::move(stated)}};
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(from, RecordsOf(config, options.sizes_of));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::LimitChoice choice,
                           ChooseMaxRecords(*request, from->answered.sizes));
  request->mutable_records()->set_max_records(static_cast<uint32_t>(choice.chosen().max_records));
  std::cerr << Describe(choice, from->answered, absl::StrCat("\"", from->name, "\""));
  return absl::OkStatus();
}

// What is asked for; a task that supersedes another has its name unless another is given.
absl::StatusOr<v1::CreateTaskRequest> RequestOf(const Config& config, TaskRequestOptions options) {
  if (options.supersedes.empty()) return ToRequest(options);
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId before, FindTask(config, "--task", options.supersedes));
  if (options.name.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, FetchTask(*stub, before));
    options.name = task->name();
  }
  TOMBOLA_ASSIGN_OR_RETURN(v1::CreateTaskRequest request, ToRequest(options));
  request.set_supersedes(std::string(AsView(before)));
  return request;
}

absl::Status RunCreate(const CreateOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(v1::CreateTaskRequest request, RequestOf(config, options.request));
  if (request.has_records() && request.records().max_records() == 0) {
    TOMBOLA_RETURN_IF_ERROR(SetMaxRecords(config, options.request, &request));
  } else if (!options.request.sizes_of.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::string taken,
                             SetSizesLike(config, options.request.sizes_of, &request));
    std::cerr << taken;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info, CreateTask(config, request));
  TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
  const int64_t most = task->scheme()->max_reports_per_submission();
  if (most > mechanism::kUsualMostReports) {
    std::cerr << absl::StrFormat(
        "! a submission may have %d messages, and a usual device's policy allows %d "
        "(policy.max_reports): --max-messages, fewer cells, more devices or a larger epsilon ask "
        "for fewer\n",
        most, mechanism::kUsualMostReports);
  }
  if (options.json) {
    // For who reads along; the object has them too.
    if (!info.warning().empty()) std::cerr << "! " << info.warning() << "\n";
    for (const std::string& remark : info.remarks()) std::cerr << "! " << remark << "\n";
  }
  return request.dry_run() ? ShowPlanned(info, options.json) : Show(info, options.json);
}

absl::Status RunShow(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--task", options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  v1::GetTaskInfoRequest request;
  request.set_task_id(std::string(AsView(id)));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                           Call(*stub, &v1::CollectorQuery::Stub::GetTask, request));
  return Show(info, options.json);
}

absl::Status RunClose(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--task", options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const ClosedTask closed, CloseTask(config, id));
  if (!closed.shuffler.ok()) {
    std::cerr << "! the shuffler hears of it within seconds; only its operator can wait for that ("
              << closed.shuffler.message() << ")\n";
  }
  return Show(closed.info, options.json);
}

absl::Status RunArchive(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--task", options.task));
  TOMBOLA_ASSIGN_OR_RETURN(const auto admin, Admin(config));
  v1::ArchiveTaskRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_restore(options.restore);
  const auto info = Call(*admin, &v1::CollectorAdmin::Stub::ArchiveTask, request);
  if (absl::IsFailedPrecondition(info.status())) {
    return absl::InvalidArgumentError(info.status().message());
  }
  TOMBOLA_RETURN_IF_ERROR(info.status());
  return Show(*info, options.json);
}

absl::Status RunList(const NamedOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  v1::ListTasksRequest request;
  request.set_archived(options.archived);
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskList list,
                           Call(*stub, &v1::CollectorQuery::Stub::ListTasks, request));
  Json tasks = Json::array();
  for (const v1::TaskInfo& info : list.tasks()) {
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    tasks.push_back(TaskJson(*task, info, absl::Now()));
  }
  if (options.json) {
    Print(Json{{"tasks", tasks}});
    return absl::OkStatus();
  }
  if (tasks.empty()) {
    std::cout << (options.archived ? "no task is archived\n"
                                   : "no tasks yet: tombola task create makes one\n");
  }
  for (const Json& task : tasks) {
    std::cout << absl::StrFormat("%s  %-6s %9d reports  %s\n", task["task"].get<std::string>(),
                                 task["state"].get<std::string>(), task["reports"].get<int64_t>(),
                                 task["name"].get<std::string>());
  }
  return absl::OkStatus();
}

constexpr absl::string_view kAuto = "auto";

// What is wrong with a flag's value, or nothing.
std::string NumberOrAuto(const std::string& text) {
  uint32_t number = 0;
  return text == kAuto || absl::SimpleAtoi(text, &number) ? "" : "must be a whole number or auto";
}

enum class Making { kCreate, kSupersede };

void AddMaking(CLI::App& group, const Choose& choose, Making making) {
  auto options = std::make_shared<CreateOptions>();
  TaskRequestOptions& r = options->request;
  CLI::App* app =
      making == Making::kCreate
          ? group.add_subcommand("create", "Make a task and wait until devices can fetch it")
          : group.add_subcommand(
                "supersede",
                "Make a task that takes the place of another, which is closed: one "
                "lineage of answers (query --lineage)");
  AddConfigFlag(*app, &options->config);
  if (making == Making::kSupersede) {
    app->add_option("--task", r.supersedes, absl::StrCat("The other: ", kTaskFlagHelp))->required();
  }
  app->add_option(
      "--kind", r.kind,
      "histogram: one value a device; set: up to --max-items values; key_value: up to "
      "--max-items values with a number each; number: one number, or none; "
      "records: up to so many records of --schema; stream: one value in each of --periods, "
      "counted over time; strings: one text, of those that nobody listed which many hold "
      "[histogram]");
  app->add_option("--schema", r.schema_file,
                  "records: JSON file that names their attributes and measures, how many of them a "
                  "device has at most, and the questions that must be answerable");
  app->add_option("--sizes", r.sizes_file,
                  "records whose --schema has \"max_records\": \"auto\": file with a line for each "
                  "number of records, that number and how many devices have so many: the number "
                  "with the least error of counts");
  app->add_option_function<std::string>(
         "--max-items",
         [&r](const std::string& text) {
           r.auto_items = text == kAuto;
           if (uint32_t number = 0; absl::SimpleAtoi(text, &number)) r.max_items = number;
         },
         "set, key_value: how many a device holds at most, of more a random choice counts; or "
         "auto, "
         "by --sizes-of")
      ->check(NumberOrAuto)
      ->type_name("NUMBER|auto");
  app->add_option("--sizes-of", r.sizes_of,
                  "set, key_value: an earlier task of the kind, such as a pilot: the "
                  "fewest that surely under 0.1 % of its devices exceed; records: that of a "
                  "histogram or number task of how many records devices have, in place of --sizes");
  app->add_option("--sent", r.sent,
                  "set, key_value: how many of them a device says; divides --max-items; number: of "
                  "how many levels of its tree [the best]");
  app->add_option(
      "--frequency", r.frequency,
      "set, key_value: at which the planner compares errors; stream: of the rarest value "
      "whose share matters, or 0 if counts do [0]");
  app->add_option("--value-range", r.value_range,
                  "key_value, number: LO:HI, the smallest and the largest number");
  app->add_option("--levels", r.levels,
                  "key_value, number with --mean-only: to how many levels numbers are rounded, "
                  "without bias [3; of number the best]");
  app->add_option("--resolution", r.numbers.resolution,
                  "number: how many bins of equal width --value-range has [1024]");
  app->add_option("--edges", r.numbers.edges_file,
                  "number: file with one edge of a bin a line, ascending, instead of --resolution");
  app->add_flag("--missing", r.numbers.missing,
                "number: a device may say that it has none, which is counted too");
  app->add_flag("--mean-only", r.numbers.mean_only,
                "number: levels instead of bins, for count, mean and sum alone: their errors are "
                "less");
  app->add_option(
      "--branching", r.numbers.branching,
      "number: how many nodes of its tree stand below one; 0: the bins are counted alone "
      "[the best]");
  app->add_option("--periods", r.periods,
                  "stream: how many periods of --interval it has, up to 4096 and 3660 days of them "
                  "all; then it ends");
  app->add_option("--structure", r.structure,
                  "stream: which periods are counted together: plain, none; fenwick; best, so that "
                  "totals over time are the least noisy; auto [auto]")
      ->check(CLI::IsMember({"auto", "plain", "fenwick", "best"}));
  app->add_option(
         "--of", r.of,
         "stream: what a device has in a period, as of the kind: histogram, set, key_value "
         "or number, with their flags [histogram]")
      ->check(CLI::IsMember({"histogram", "set", "key_value", "number"}));
  app->add_option("--device-periods", r.device_periods,
                  "stream: the most periods that a device takes part in [1]");
  app->add_option("--alphabet", r.strings.alphabet,
                  "strings: the characters that they are made of, others count as one; or bytes");
  app->add_option("--length", r.strings.length,
                  "strings: how many characters (or bytes) of one count, 1 to 255");
  app->add_option("--step", r.strings.step,
                  "strings: how many of them one level of the search adds [so many that a search "
                  "takes minutes]");
  app->add_flag("--fold-case", r.strings.fold_case,
                "strings: upper and lower case are one; --alphabet then has the lower");
  app->add_flag("--dictionary-only", r.strings.dictionary_only,
                "strings: only those of a list can be looked up, for which fewer devices must hold "
                "one; and no others found");
  app->add_option("--min-holders", r.strings.min_holders,
                  "strings: no string that fewer devices are estimated to hold is ever shown [so "
                  "many that one is found with a probability of 90 %]");
  if (making == Making::kCreate) {
    app->add_option("--name", r.name, "For people")->required();
  } else {
    app->add_option("--name", r.name, "For people [that of the other]");
  }
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
  app->add_option(
      "--min-batch", r.min_batch,
      "No smaller batch ever leaves, and noise that devices share is sized for it: what a "
      "batch has beyond may be full of garbage without harm [0.9 of --users; stream: "
      "0.8, for each period of a node]");
  app->add_option("--dishonest", r.dishonest,
                  "Share of submissions that may be the observer's own, in [0, 1)")
      ->capture_default_str();
  app->add_option("--interval", r.interval,
                  "The length of a period, such as 24h: an answer for each, at most one submission "
                  "of a device in each; one with too few submissions is destroyed [no periods]");
  app->add_flag("--merge-periods", r.merge_periods,
                "No periods: what is held leaves at the end of each interval if the target holds, "
                "and is held on if not; a device's submissions may then meet in one batch");
  app->add_option("--trusted-totals", r.trusted_totals,
                  "epsilon=E[,delta=X][,structure=S][,of=participants+rejected]: of a task with "
                  "periods, publishes how many took part, or were refused, up to each, with noise "
                  "that hides every device (tombola query --participants) [no such totals]");
  app->add_option("--retry-window", r.retry_window,
                  "How long retries are recognised, an hour or more [24h; stream: what is left of "
                  "--interval without its grace, at most 24h]");
  app->add_option("--submissions-per-device", r.submissions_per_device,
                  "Over the task's life; the guarantee is stated for all of them")
      ->capture_default_str();
  app->add_option("--lifetime", r.lifetime, "Until the task ends [2160h]");
  app->add_option("--key-list-age", r.key_list_age,
                  "Devices seal by no list of keys that is older, an hour or more [336h]");
  app->add_option("--mechanism", r.mechanism,
                  absl::StrCat("One of ", absl::StrJoin(mechanism::MechanismNames(), ", "),
                               "; strings: one_message, dummies, every_level [the one with the "
                               "least error; of histograms among those that have a local "
                               "epsilon]"));
  app->add_option(
         "--max-local-epsilon", r.max_local_epsilon,
         "Cap on what is revealed if shuffler and collector collude, or none [none for set, "
         "key_value and number; histograms leave something]")
      ->transform(NoneIsInfinite);
  app->add_option("--max-messages", r.max_messages, "Cap on the expected messages of a device");
  app->add_option("--range", r.range, "local_hash, murs, strings: fix the number of buckets");
  app->add_option("--fakes", r.fakes,
                  "murs: reports that the shuffler adds to a batch [a tenth of the honest ones]");
  app->add_option("--dummies", r.dummies,
                  "mix_dump: dummies for each value in a batch [half of pure_dump's]");
  app->add_flag("--same-name", r.same_name,
                "Although an open task has this --name; such tasks are then named by their ids");
  app->add_flag("--dry-run", r.dry_run,
                "Plan the task and show it, with its warnings; make nothing");
  AddRapporFlags(*app, &r.rappor);
  app->add_option("--longitudinal", r.longitudinal,
                  "fresh: --epsilon and --delta are for all submissions of a device, each drawn "
                  "anew; memo: a device keeps what it draws of a value and says it again, which "
                  "hides neither whether nor when the value changes")
      ->check(CLI::IsMember({"fresh", "memo"}));
  app->add_option("--distinct-values", r.distinct_values,
                  "memo: of so many values a device draws a memo; they share --epsilon [1]");
  app->add_flag("--json", options->json, "One JSON object on standard output");
  app->callback([options, choose] { choose([options] { return RunCreate(*options); }); });
}

void AddNamed(CLI::App& group, const Choose& choose, const std::string& name,
              const std::string& help, absl::Status (*run)(const NamedOptions&), bool needs_task) {
  auto options = std::make_shared<NamedOptions>();
  CLI::App* app = group.add_subcommand(name, help);
  AddConfigFlag(*app, &options->config);
  if (needs_task) app->add_option("--task", options->task, kTaskFlagHelp)->required();
  app->add_flag("--json", options->json, "One JSON object on standard output");
  if (name == "list") {
    app->add_flag("--archived", options->archived, "Those that are archived, and no others");
  }
  if (name == "archive") {
    app->add_flag("--restore", options->restore, "Back into the lists instead");
  }
  app->callback([options, choose, run] { choose([options, run] { return run(*options); }); });
}

}  // namespace

void AddTask(CLI::App& app, const Choose& choose) {
  CLI::App* group = app.add_subcommand("task", "Make, show, list, close and archive tasks");
  group->require_subcommand(1);
  AddMaking(*group, choose, Making::kCreate);
  AddMaking(*group, choose, Making::kSupersede);
  AddNamed(*group, choose, "show", "One task", &RunShow, true);
  AddNamed(*group, choose, "list", "All tasks", &RunList, false);
  AddNamed(*group, choose, "close",
           "End a task: what is held leaves if its guarantee holds, else it is destroyed",
           &RunClose, true);
  AddNamed(*group, choose, "archive",
           "Take a closed task out of lists; it and its answers are kept", &RunArchive, true);
}

}  // namespace tombola::cli
