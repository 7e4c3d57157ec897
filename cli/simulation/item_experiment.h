// Mechanisms compared on devices that hold several things: planned, predicted and simulated.
#ifndef TOMBOLA_CLI_SIMULATION_ITEM_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_ITEM_EXPERIMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/item_data.h"
#include "cli/simulation/item_trials.h"

namespace tombola::simulation {

struct ItemExperiment {
  Experiment experiment;
  // The share at which numbers of cells to send are compared, in [0, 1].
  double frequency = 0;
  // So many cells are sent, a divisor of those held; none: the best number for each row.
  std::optional<int64_t> sent;
};

// As PlanRows and SimulateRows. A row's parameters are the planner's for all cells, its prediction
// that of the data at hand, and its errors are of items, not of cells: a key's levels are one
// share. What is for devices that hold one thing is a row that says so.
absl::StatusOr<std::vector<Row>> PlanItemRows(const ItemData& data,
                                              const ItemExperiment& experiment);
absl::Status SimulateItemRows(const ItemData& data, const ItemExperiment& experiment,
                              std::vector<Row>& rows);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_ITEM_EXPERIMENT_H_
