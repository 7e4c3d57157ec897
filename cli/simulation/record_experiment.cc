#include "cli/simulation/record_experiment.h"

#include <limits>
#include <map>
#include <utility>

#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "common/plan/records.h"

namespace tombola::simulation {
namespace {

constexpr double kNotProcessed = std::numeric_limits<double>::quiet_NaN();

mechanism::PlanRequest RequestOf(const RecordPopulation& population, const Experiment& experiment,
                                 double epsilon, double delta) {
  return {.honest = population.users(),
          .submissions = population.users(),
          .epsilon = epsilon,
          .delta = delta,
          .method = experiment.method};
}

// The cells of every target.
using DataByTarget = std::map<std::pair<double, double>, std::shared_ptr<const RecordData>>;

absl::StatusOr<DataByTarget> PlaceAll(const std::shared_ptr<const RecordPopulation>& population,
                                      const v1::Records& asked, const Experiment& experiment) {
  DataByTarget all;
  for (const double delta : experiment.deltas) {
    for (const double epsilon : experiment.epsilons) {
      TOMBOLA_ASSIGN_OR_RETURN(
          const v1::Records views,
          mechanism::PlanViews(asked, RequestOf(*population, experiment, epsilon, delta)));
      TOMBOLA_ASSIGN_OR_RETURN(RecordCells cells, RecordCells::Read(views));
      all[{epsilon, delta}] = std::make_shared<const RecordData>(population, std::move(cells));
    }
  }
  return all;
}

absl::Status PlanRecordRow(const RecordPopulation& population, const Experiment& experiment,
                           std::shared_ptr<const RecordData> data, Row& row) {
  row.central = row.name == kLaplace;
  row.feasible = row.central;
  if (!row.central) {
    TOMBOLA_ASSIGN_OR_RETURN(
        const auto candidates,
        mechanism::PlanRecords(
            data->cells(), RequestOf(population, experiment, row.epsilon, row.delta), row.name));
    const mechanism::Candidate* const best =
        mechanism::Recommended(candidates, mechanism::Left::kAnything);
    row.feasible = best != nullptr;
    row.reason = best == nullptr ? candidates.front().reason : best->reason;
    if (best != nullptr) row.mechanism = best->mechanism;
  }
  if (!row.feasible) return absl::OkStatus();
  row.records = PredictRecords({.mechanism = row.mechanism, .epsilon = row.epsilon}, *data);
  row.predicted = row.records->cell_count;
  row.record_data = std::move(data);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Row>> PlanRecordRows(
    const std::shared_ptr<const RecordPopulation>& population, const v1::Records& asked,
    const Experiment& experiment) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> rows, EmptyRows(experiment));
  TOMBOLA_ASSIGN_OR_RETURN(const DataByTarget data, PlaceAll(population, asked, experiment));
  std::vector<absl::Status> outcomes(rows.size());
  ForEachIndex(rows.size(), experiment.trials.threads, [&](size_t i) {
    outcomes[i] =
        PlanRecordRow(*population, experiment, data.at({rows[i].epsilon, rows[i].delta}), rows[i]);
    if (experiment.planned) experiment.planned();
  });
  for (const absl::Status& outcome : outcomes) TOMBOLA_RETURN_IF_ERROR(outcome);
  return rows;
}

absl::Status SimulateRecordRows(const Experiment& experiment, std::vector<Row>& rows) {
  for (Row& row : rows) {
    if (!row.feasible) continue;
    TrialOptions options = experiment.trials;
    options.seed =
        RowSeed(SeedSequence(experiment.trials.seed).Add(row.record_data->digest()).seed(),
                experiment, row);
    TOMBOLA_ASSIGN_OR_RETURN(row.errors.raw,
                             RunRecordTrials({.mechanism = row.mechanism, .epsilon = row.epsilon},
                                             *row.record_data, options, &*row.records));
    row.errors.pop = {.value = kNotProcessed, .standard_error = kNotProcessed};
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
