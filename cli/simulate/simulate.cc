// tombola simulate
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "cli/simulate/output.h"
#include "cli/simulation/data.h"
#include "cli/simulation/experiment.h"
#include "cli/terminal/progress.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"

namespace tombola::cli {
namespace {

constexpr int kThreads = 2;

struct SimulateOptions {
  simulation::DataRequest data;
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

absl::Status RunSimulate(SimulateOptions options) {
  if (options.setup.trials < 1 || options.setup.trials > 1000000) {
    return absl::InvalidArgumentError("--trials must be from 1 to 1000000");
  }
  // Before the work, not after it.
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.out));
  options.data.seed = options.setup.seed;
  TOMBOLA_ASSIGN_OR_RETURN(const simulation::Data data, simulation::MakeData(options.data));
  options.setup.data = options.data.source;
  options.setup.users = data.users;
  options.setup.domain = data.domain();

  simulation::Experiment experiment = ExperimentOf(options);
  Progress planning("planned",
                    static_cast<int64_t>(experiment.mechanisms.size() * experiment.epsilons.size() *
                                         experiment.deltas.size()));
  experiment.planned = [&] { planning.Add(1); };
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<simulation::Row> result,
                           simulation::PlanRows(data, experiment));
  planning.Finish();
  const int64_t feasible = std::count_if(result.begin(), result.end(),
                                         [](const simulation::Row& row) { return row.feasible; });
  Progress trials("trials", feasible * options.setup.trials);
  experiment.trials.trial_done = [&] { trials.Add(1); };
  TOMBOLA_RETURN_IF_ERROR(simulation::SimulateRows(data, experiment, result));
  trials.Finish();

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
                   "zipf:S, normal, uniform, or file:PATH with one value a line")
      ->required();
  simulate->add_option("--users", options->data.users,
                       "Users; of a file the first lines [all of them]");
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
