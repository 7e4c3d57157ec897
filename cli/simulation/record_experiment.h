// Mechanisms compared on devices that hold records: planned, predicted and simulated.
#ifndef TOMBOLA_CLI_SIMULATION_RECORD_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_RECORD_EXPERIMENT_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/record_population.h"
#include "tombola/v1/task.pb.h"

namespace tombola::simulation {

// As PlanRows and SimulateRows. `asked` is the task's, of which the planner makes views for each
// target, so that rows may have different ones; the population is of its attributes and measures. A
// row's error is of the count of a cell for each device, averaged over the cells of all views, and
// its `records` say the rest. Counts are not post-processed.
absl::StatusOr<std::vector<Row>> PlanRecordRows(
    const std::shared_ptr<const RecordPopulation>& population, const v1::Records& asked,
    const Experiment& experiment);
absl::Status SimulateRecordRows(const Experiment& experiment, std::vector<Row>& rows);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_RECORD_EXPERIMENT_H_
