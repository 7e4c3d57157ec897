#include "cli/simulation/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"

namespace tombola::simulation {
namespace {

absl::Status Validate(const Experiment& experiment) {
  std::vector<std::string> known = mechanism::MechanismNames();
  known.emplace_back(kLaplace);
  for (const std::string& name : experiment.mechanisms) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat("--mechanism: ", name, " is not one of ",
                                                     absl::StrJoin(known, ", "),
                                                     ", or all by itself"));
    }
  }
  for (const double epsilon : experiment.epsilons) {
    if (!(epsilon > 0) || !std::isfinite(epsilon)) {
      return absl::InvalidArgumentError("--epsilon must be above 0");
    }
  }
  for (const double delta : experiment.deltas) {
    if (!(delta > 0 && delta < 1)) return absl::InvalidArgumentError("--delta must be in (0, 1)");
  }
  return absl::OkStatus();
}

// Fills in all but the errors.
void Plan(const Data& data, mechanism::Method method, Row& row) {
  row.central = row.name == kLaplace;
  if (row.central) {
    row.feasible = true;
    row.predicted = LaplaceSquaredError(data.users, row.epsilon);
    return;
  }
  auto planned = mechanism::PlanOne(row.name, {.honest = data.users,
                                               .submissions = data.users,
                                               .domain_size = data.domain(),
                                               .epsilon = row.epsilon,
                                               .delta = row.delta,
                                               .method = method});
  row.feasible = planned.ok();
  if (!planned.ok()) {
    row.reason = std::string(planned.status().message());
    return;
  }
  row.mechanism = *std::move(planned);
  row.predicted = row.mechanism->PredictedMse(data.users);
  if (row.mechanism->local_epsilon() <= row.epsilon) {
    row.reason = "local: meets the target without the shuffle, by local epsilon alone";
  }
}

absl::Status Simulate(const Data& data, uint64_t seed, const Experiment& experiment, Row& row) {
  TrialOptions options = experiment.trials;
  options.seed = RowSeed(seed, experiment, row);
  TOMBOLA_ASSIGN_OR_RETURN(row.errors, row.central ? RunLaplaceTrials(row.epsilon, data, options)
                                                   : RunTrials(row.mechanism, data, options));
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> ComparedMechanisms() {
  std::vector<std::string> names = mechanism::MechanismNames();
  std::erase_if(names, [](const std::string& name) { return mechanism::OnlyByName(name); });
  names.emplace_back(kLaplace);
  return names;
}

absl::StatusOr<std::vector<Row>> EmptyRows(const Experiment& experiment) {
  TOMBOLA_RETURN_IF_ERROR(Validate(experiment));
  std::vector<Row> rows;
  for (const double delta : experiment.deltas) {
    for (const double epsilon : experiment.epsilons) {
      for (const std::string& name : experiment.mechanisms) {
        rows.push_back({.name = name, .epsilon = epsilon, .delta = delta});
      }
    }
  }
  return rows;
}

uint64_t RowSeed(uint64_t seed, const Experiment& experiment, const Row& row) {
  return SeedSequence(seed)
      .Add(row.name)
      .Add(row.epsilon)
      .Add(row.delta)
      .Add(static_cast<uint64_t>(experiment.method))
      .seed();
}

absl::StatusOr<std::vector<Row>> PlanRows(const Data& data, const Experiment& experiment) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> rows, EmptyRows(experiment));
  ForEachIndex(rows.size(), experiment.trials.threads, [&](size_t i) {
    Plan(data, experiment.method, rows[i]);
    if (experiment.planned) experiment.planned();
  });
  return rows;
}

absl::Status SimulateRows(const Data& data, const Experiment& experiment, std::vector<Row>& rows) {
  SeedSequence seed(experiment.trials.seed);
  for (const int64_t count : data.counts) seed.Add(static_cast<uint64_t>(count));
  for (Row& row : rows) {
    if (row.feasible) TOMBOLA_RETURN_IF_ERROR(Simulate(data, seed.seed(), experiment, row));
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
