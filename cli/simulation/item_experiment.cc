#include "cli/simulation/item_experiment.h"

#include <string>

#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "common/plan/plan.h"

namespace tombola::simulation {
namespace {

ItemCounting CountingOf(const Row& row) {
  return {.mechanism = row.mechanism, .epsilon = row.epsilon};
}

// What was asked for, or the best number of cells to send; else one that says why not.
absl::StatusOr<mechanism::Candidate> Planned(const mechanism::PlanRequest& request,
                                             const std::string& name, bool all) {
  if (!all) return mechanism::PlanCandidate(name, request);
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::Candidate> candidates,
                           mechanism::PlanAll(request, name));
  const mechanism::Candidate* const best =
      mechanism::Recommended(candidates, mechanism::Left::kAnything);
  return best == nullptr ? candidates.front() : *best;
}

// Fills in what the planner finds.
absl::Status PlanMechanism(const ItemData& data, const ItemExperiment& experiment, Row& row) {
  const ItemCells& cells = data.cells();
  const mechanism::PlanRequest request = {
      .honest = data.users(),
      .submissions = data.users(),
      .domain_size = cells.cells(),
      .filling = {.held = cells.held(), .sent = experiment.sent.value_or(cells.held())},
      .frequency = experiment.frequency,
      .epsilon = row.epsilon,
      .delta = row.delta,
      .method = experiment.experiment.method};
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::Candidate chosen,
                           Planned(request, row.name, !experiment.sent.has_value()));
  row.reason = chosen.reason;
  if (!chosen.feasible) return absl::OkStatus();
  row.sent = chosen.sent.value_or(1);
  if (cells.levels > 1 && chosen.mechanism->hashing() != nullptr) {
    row.reason = "its reports hash, so that one speaks for several levels of a key";
    return absl::OkStatus();
  }
  row.feasible = true;
  row.mechanism = chosen.mechanism;
  return absl::OkStatus();
}

absl::Status PlanRow(const ItemData& data, const ItemExperiment& experiment, Row& row) {
  row.central = row.name == kLaplace;
  row.feasible = row.central;
  if (!row.central) TOMBOLA_RETURN_IF_ERROR(PlanMechanism(data, experiment, row));
  if (!row.feasible) return absl::OkStatus();
  const ItemPrediction prediction = Predict(CountingOf(row), data);
  row.predicted = prediction.squared_error;
  row.mean_predicted = prediction.mean_squared_error;
  row.mean_keys = static_cast<int64_t>(prediction.mean_keys.size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Row>> PlanItemRows(const ItemData& data,
                                              const ItemExperiment& experiment) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> rows, EmptyRows(experiment.experiment));
  if (!(experiment.frequency >= 0 && experiment.frequency <= 1)) {
    return absl::InvalidArgumentError("--frequency must be in [0, 1]");
  }
  const int64_t held = data.cells().held();
  if (experiment.sent.has_value() && (*experiment.sent < 1 || held % *experiment.sent != 0)) {
    return absl::InvalidArgumentError("--sent must divide --max-items");
  }
  std::vector<absl::Status> outcomes(rows.size());
  ForEachIndex(rows.size(), experiment.experiment.trials.threads, [&](size_t i) {
    outcomes[i] = PlanRow(data, experiment, rows[i]);
    if (experiment.experiment.planned) experiment.experiment.planned();
  });
  for (const absl::Status& outcome : outcomes) TOMBOLA_RETURN_IF_ERROR(outcome);
  return rows;
}

absl::Status SimulateItemRows(const ItemData& data, const ItemExperiment& experiment,
                              std::vector<Row>& rows) {
  const uint64_t seed = SeedSequence(experiment.experiment.trials.seed).Add(data.digest()).seed();
  for (Row& row : rows) {
    if (!row.feasible) continue;
    TrialOptions options = experiment.experiment.trials;
    options.seed = RowSeed(seed, experiment.experiment, row);
    const ItemCounting counting = CountingOf(row);
    TOMBOLA_ASSIGN_OR_RETURN(const ItemErrors errors,
                             RunItemTrials(counting, data, Predict(counting, data), options));
    row.errors = errors.shares;
    row.mean_errors = errors.means;
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
