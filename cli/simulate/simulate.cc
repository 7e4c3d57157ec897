// tombola simulate
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "cli/command/number_flags.h"
#include "cli/simulate/items.h"
#include "cli/simulate/numbers.h"
#include "cli/simulate/output.h"
#include "cli/simulate/records.h"
#include "cli/simulate/streams.h"
#include "cli/simulate/strings.h"
#include "cli/simulation/data.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/item_experiment.h"
#include "cli/simulation/number_experiment.h"
#include "cli/simulation/record_experiment.h"
#include "cli/simulation/stream_experiment.h"
#include "cli/terminal/progress.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola::cli {
namespace {

constexpr int kThreads = 2;

struct SimulateOptions {
  simulation::DataRequest data;
  ItemFlags items = {.kind = std::string(Histogram::kName)};
  NumberFlags numbers;
  std::string schema_file;
  StringFlags strings;
  bool fold_case = false, counted = false;
  SimulatedStreamFlags streams;
  std::vector<std::string> mechanisms = {"all"};
  std::vector<double> epsilons, deltas;
  SimulationSetup setup = {.method = "tight", .trials = 20, .seed = 1};
  std::string out;
  bool json = false;
};

simulation::Experiment ExperimentOf(const SimulateOptions& options) {
  const bool published = options.setup.method == "published";
  simulation::Experiment experiment = {
      .mechanisms = options.mechanisms,
      .epsilons = options.epsilons,
      .deltas = options.deltas,
      .method = published ? mechanism::Method::kPublished : mechanism::Method::kTight,
      .trials = {.trials = options.setup.trials,
                 .seed = options.setup.seed,
                 .devices = options.setup.real,
                 .threads = kThreads}};
  if (options.mechanisms == std::vector<std::string>{"all"}) {
    experiment.mechanisms = simulation::ComparedMechanisms();
  }
  return experiment;
}

// Plans rows by plan(experiment) and measures them by simulate(experiment, rows), with progress.
template <typename Plan, typename Simulate>
absl::StatusOr<std::vector<simulation::Row>> Run(const SimulateOptions& options, const Plan& plan,
                                                 const Simulate& simulate) {
  simulation::Experiment experiment = ExperimentOf(options);
  Progress planning("planned",
                    static_cast<int64_t>(experiment.mechanisms.size() * experiment.epsilons.size() *
                                         experiment.deltas.size()));
  experiment.planned = [&] { planning.Add(1); };
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<simulation::Row> rows, plan(experiment));
  planning.Finish();
  const int64_t feasible = std::count_if(rows.begin(), rows.end(),
                                         [](const simulation::Row& row) { return row.feasible; });
  Progress trials("trials", feasible * options.setup.trials);
  experiment.trials.trial_done = [&] { trials.Add(1); };
  TOMBOLA_RETURN_IF_ERROR(simulate(experiment, rows));
  trials.Finish();
  return rows;
}

absl::StatusOr<std::vector<simulation::Row>> RunValues(SimulateOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const simulation::Data data, simulation::MakeData(options.data));
  options.setup.users = data.users;
  options.setup.domain = data.domain();
  return Run(
      options,
      [&](const simulation::Experiment& experiment) {
        return simulation::PlanRows(data, experiment);
      },
      [&](const simulation::Experiment& experiment, std::vector<simulation::Row>& rows) {
        return simulation::SimulateRows(data, experiment, rows);
      });
}

absl::StatusOr<std::vector<simulation::Row>> RunItems(SimulateOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const simulation::ItemData data,
                           MakeItemData(options.data, options.items));
  options.setup.users = data.users();
  options.setup.domain = data.cells().values;
  options.setup.max_items = data.cells().held();
  options.setup.levels = options.items.kind == KeyValueKind::kName ? data.cells().levels : 0;
  const auto with = [&](const simulation::Experiment& experiment) {
    return simulation::ItemExperiment{.experiment = experiment,
                                      .frequency = options.items.frequency.value_or(0),
                                      .sent = options.items.sent};
  };
  return Run(
      options,
      [&](const simulation::Experiment& experiment) {
        return simulation::PlanItemRows(data, with(experiment));
      },
      [&](const simulation::Experiment& experiment, std::vector<simulation::Row>& rows) {
        return simulation::SimulateItemRows(data, with(experiment), rows);
      });
}

// What the flags say of numbers. For means alone the bins are those in whose middles the numbers of
// a law lie.
absl::StatusOr<NumberRequest> NumbersAsked(const SimulateOptions& options, NumberFlags flags) {
  flags.value_range = options.items.value_range.value_or("");
  if (flags.value_range.empty() && flags.edges_file.empty()) flags.value_range = "0:1";
  if (options.items.levels.has_value()) {
    // Beyond 32 bits is beyond any bound.
    flags.levels = static_cast<uint32_t>(std::clamp<int64_t>(*options.items.levels, 0, UINT32_MAX));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const AskedNumbers asked, ReadNumbers(flags));
  const uint64_t bins = flags.mean_only ? kUsualResolution : asked.bins;
  TOMBOLA_ASSIGN_OR_RETURN(Bins read, Bins::Read(asked.wire, static_cast<int64_t>(bins)));
  return NumberRequest{.data = options.data,
                       .bins = std::move(read),
                       .missing = flags.missing,
                       .mean_only = flags.mean_only};
}

absl::StatusOr<std::vector<simulation::Row>> RunNumbers(SimulateOptions& options) {
  const NumberFlags& flags = options.numbers;
  if (options.data.domain.has_value()) {
    return absl::InvalidArgumentError("--domain is not for --kind number, which has --resolution");
  }
  if (flags.mean_only && options.items.sent.has_value()) {
    return absl::InvalidArgumentError("--sent is not for --mean-only, which has no tree");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const NumberRequest request, NumbersAsked(options, flags));
  TOMBOLA_ASSIGN_OR_RETURN(const simulation::NumberData data, MakeNumberData(request));
  options.setup.users = data.users();
  options.setup.domain = flags.mean_only ? 0 : data.bins();
  options.setup.mean_only = flags.mean_only;
  options.setup.missing = flags.missing;
  const auto with = [&](const simulation::Experiment& experiment) {
    simulation::NumberExperiment numbers{.experiment = experiment,
                                         .sent = options.items.sent,
                                         .mean_only = flags.mean_only,
                                         .levels = options.items.levels.value_or(0)};
    if (flags.branching.has_value()) numbers.branching = *flags.branching;
    return numbers;
  };
  return Run(
      options,
      [&](const simulation::Experiment& experiment) {
        return simulation::PlanNumberRows(data, with(experiment));
      },
      [&](const simulation::Experiment& experiment, std::vector<simulation::Row>& rows) {
        return simulation::SimulateNumberRows(data, with(experiment), rows);
      });
}

absl::StatusOr<std::vector<simulation::Row>> RunRecords(SimulateOptions& options) {
  if (options.data.domain.has_value()) {
    return absl::InvalidArgumentError("--domain is not for --kind records, which has --schema");
  }
  if (options.schema_file.empty()) {
    return absl::InvalidArgumentError(
        "--schema FILE must be given: the attributes and measures of records");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const SimulatedRecords records,
                           MakeRecords(options.data, options.schema_file));
  options.setup.users = records.population->users();
  options.setup.max_records = records.max_records;
  return Run(
      options,
      [&](const simulation::Experiment& experiment) {
        return simulation::PlanRecordRows(records.population, records.asked, experiment);
      },
      [&](const simulation::Experiment& experiment, std::vector<simulation::Row>& rows) {
        return simulation::SimulateRecordRows(experiment, rows);
      });
}

absl::Status CheckKindFlags(const SimulateOptions& options) {
  const NumberFlags& flags = options.numbers;
  const bool of_numbers = flags.resolution.has_value() || flags.branching.has_value() ||
                          !flags.edges_file.empty() || flags.missing || flags.mean_only;
  if (of_numbers && options.items.kind != NumberKind::kName) {
    return absl::InvalidArgumentError(
        "--resolution, --edges, --branching, --missing and --mean-only are for --kind number");
  }
  if (!options.schema_file.empty() && options.items.kind != RecordsKind::kName) {
    return absl::InvalidArgumentError("--schema is for --kind records");
  }
  if (options.streams.any() && options.items.kind != StreamKind::kName) {
    return absl::InvalidArgumentError(
        "--periods, --structure and --device-periods are for --kind stream");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<simulation::Row>> RunKind(SimulateOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(CheckKindFlags(options));
  if (options.items.kind == NumberKind::kName) return RunNumbers(options);
  if (options.items.kind == RecordsKind::kName) return RunRecords(options);
  return options.items.items() ? RunItems(options) : RunValues(options);
}

absl::Status RunStrings(const SimulateOptions& options) {
  if (options.setup.method == "published") {
    return absl::InvalidArgumentError("--method must be tight for --kind strings");
  }
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.out));
  StringSimulation asked{.data = options.data,
                         .strings = options.strings,
                         .fold_case = options.fold_case,
                         .counted = options.counted,
                         .mechanisms = options.mechanisms,
                         .epsilons = options.epsilons,
                         .deltas = options.deltas,
                         .trials = options.setup.trials,
                         .threads = kThreads,
                         .out = options.out,
                         .json = options.json};
  asked.data.seed = options.setup.seed;
  return SimulateStrings(asked);
}

absl::Status RunStreams(SimulateOptions options) {
  simulation::Experiment planned = ExperimentOf(options);
  if (options.mechanisms == std::vector<std::string>{"all"}) {
    planned.mechanisms = simulation::StreamMechanisms();
  }
  TOMBOLA_ASSIGN_OR_RETURN(simulation::StreamExperiment experiment,
                           StreamsAsked(options.streams, std::move(planned)));
  TOMBOLA_ASSIGN_OR_RETURN(const simulation::StreamData data,
                           simulation::MakeStreamData(options.data, *options.streams.periods));
  options.setup.users = data.users();
  options.setup.domain = data.domain();
  const StreamSetup setup{.simulation = options.setup,
                          .periods = *options.streams.periods,
                          .device_periods = options.streams.device_periods};
  Progress planning("planned",
                    static_cast<int64_t>(experiment.experiment.mechanisms.size() *
                                         options.epsilons.size() * options.deltas.size()));
  experiment.experiment.planned = [&] { planning.Add(1); };
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<simulation::StreamRow> rows,
                           simulation::PlanStreamRows(data, experiment));
  planning.Finish();
  const int64_t feasible =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.planned.feasible; });
  Progress trials("trials", feasible * options.setup.trials);
  experiment.experiment.trials.trial_done = [&] { trials.Add(1); };
  TOMBOLA_RETURN_IF_ERROR(simulation::SimulateStreamRows(data, experiment, rows));
  trials.Finish();
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(WriteStreams(options.out, setup, rows));
  if (options.json) {
    Print(StreamsJson(setup, rows));
  } else {
    std::cout << StreamsTable(setup, rows);
  }
  return absl::OkStatus();
}

absl::Status RunSimulate(SimulateOptions options) {
  if (options.setup.trials < 1 || options.setup.trials > 1000000) {
    return absl::InvalidArgumentError("--trials must be from 1 to 1000000");
  }
  if (options.items.kind == StringsKind::kName) return RunStrings(options);
  if (options.strings.any() || options.fold_case || options.counted) {
    return absl::InvalidArgumentError(
        "--length, --alphabet, --step, --dictionary-only, --dictionary-size, --fold-case and "
        "--counted are for --kind strings");
  }
  TOMBOLA_RETURN_IF_ERROR(CheckFlags(options.items));
  // Before the work, not after it.
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.out));
  options.data.seed = options.setup.seed;
  options.setup.data = options.data.source;
  options.setup.kind = options.items.kind;
  if (options.items.kind == StreamKind::kName) {
    TOMBOLA_RETURN_IF_ERROR(CheckKindFlags(options));
    return RunStreams(std::move(options));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<simulation::Row> result, RunKind(options));

  if (!options.out.empty()) {
    TOMBOLA_RETURN_IF_ERROR(WriteSimulation(options.out, options.setup, result));
  }
  if (options.json) {
    Print(SimulationJson(options.setup, result));
  } else {
    std::cout << SimulationTable(options.setup, result);
  }
  return absl::OkStatus();
}

}  // namespace

void AddSimulate(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<SimulateOptions>();
  SimulationSetup& setup = options->setup;
  CLI::App* simulate =
      app.add_subcommand("simulate", "The error of each mechanism on a data set, by simulation");
  simulate
      ->add_option("--data", options->data.source,
                   "zipf:S, normal, uniform, or file:PATH with one device a line")
      ->required();
  simulate
      ->add_option("--kind", options->items.kind,
                   "histogram, set, key_value, number, records, stream or strings")
      ->capture_default_str();
  simulate->add_option("--max-items", options->items.max_items,
                       "set, key_value: how many things a device says at most");
  simulate->add_option("--levels", options->items.levels,
                       "key_value, number with --mean-only: to how many levels numbers are rounded "
                       "[3; of number the best number]");
  simulate->add_option("--value-range", options->items.value_range,
                       "key_value, number: LO:HI, the smallest and the largest number [-1:1; of "
                       "number 0:1]");
  simulate->add_option("--resolution", options->numbers.resolution, "number: how many bins [1024]");
  simulate->add_option("--edges", options->numbers.edges_file,
                       "number: file with one edge of a bin a line, instead of --resolution");
  simulate->add_option("--branching", options->numbers.branching,
                       "number: of its tree; 0: the bins alone [the best]");
  simulate->add_flag("--missing", options->numbers.missing,
                     "number: a device may have none; of made-up ones a tenth");
  simulate->add_flag("--mean-only", options->numbers.mean_only,
                     "number: levels instead of bins; the error is that of the mean, of the range");
  simulate->add_option("--schema", options->schema_file,
                       "records: file with their attributes, measures and questions (JSON)");
  simulate->add_option("--length", options->strings.length,
                       "strings: the most characters of one that count");
  simulate->add_option("--alphabet", options->strings.alphabet,
                       "strings: the characters that they are made of, or bytes");
  simulate->add_option(
      "--step", options->strings.step,
      "strings: so many characters are found at once [as many as decoding allows]");
  simulate->add_flag("--dictionary-only", options->strings.dictionary_only,
                     "strings: whole strings are sent, and all that are held looked up, among as "
                     "many that are not");
  simulate->add_option("--dictionary-size", options->strings.dictionary_size,
                       "strings: the same, planned for lists of so many");
  simulate->add_flag("--fold-case", options->fold_case, "strings: capital letters are small ones");
  simulate->add_flag("--counted", options->counted,
                     "strings: a line of the file is a string, a tab and how many devices hold it");
  simulate->add_option("--frequency", options->items.frequency,
                       "set, key_value: at which the planner compares errors [0]");
  simulate->add_option(
      "--sent", options->items.sent,
      "set, key_value: how many of its things a device sends; number: of how many levels "
      "[the best number]");
  simulate->add_option("--periods", options->streams.periods, "stream: how many there are");
  simulate
      ->add_option("--structure", options->streams.structure,
                   "stream: this one only; auto: all of them")
      ->check(CLI::IsMember({"auto", "plain", "fenwick", "best"}))
      ->capture_default_str();
  simulate
      ->add_option("--device-periods", options->streams.device_periods,
                   "stream: in how many periods a device takes part; says what that costs it")
      ->capture_default_str();
  simulate->add_option(
      "--users", options->data.users,
      "Users, of a stream in each period; of a file the first lines [all of them]");
  simulate->add_option("--domain", options->data.domain,
                       "Number of values; a file of names may leave it out");
  simulate->add_option("--mechanism", options->mechanisms, "Mechanisms, laplace too, or all")
      ->delimiter(',')
      ->capture_default_str();
  simulate->add_option("--epsilon", options->epsilons, "Targets")->delimiter(',')->required();
  simulate->add_option("--delta", options->deltas, "Targets")->delimiter(',')->required();
  simulate->add_option("--trials", setup.trials, "Batches for each mechanism and target")
      ->capture_default_str();
  simulate->add_option("--seed", setup.seed, "The same seed, the same numbers")
      ->capture_default_str();
  simulate->add_option("--method", setup.method, "tight, or published: the papers' closed forms")
      ->check(CLI::IsMember({"tight", "published"}))
      ->capture_default_str();
  simulate->add_flag("--real", setup.real,
                     "Every device encodes and every report is counted, instead of drawing counts");
  simulate->add_option("--out", options->out, "Write simulation.csv and SVG charts here");
  simulate->add_option("--title", setup.title, "Heading of the charts [the data]");
  simulate->add_flag("--json", options->json, "One JSON object on standard output");
  simulate->callback([options, choose] { choose([options] { return RunSimulate(*options); }); });
}

}  // namespace tombola::cli
