// Mechanisms compared on one data set: planned, simulated, and set beside what was predicted.
#ifndef TOMBOLA_CLI_SIMULATION_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_EXPERIMENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "cli/simulation/record_data.h"
#include "cli/simulation/record_trials.h"
#include "cli/simulation/trials.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"

namespace tombola::simulation {

// The central mechanism that all are compared with.
inline constexpr absl::string_view kLaplace = "laplace";

// Every mechanism that a task can have, but for those that are planned only by name, and kLaplace.
std::vector<std::string> ComparedMechanisms();

struct Experiment {
  std::vector<std::string> mechanisms;  // of MechanismNames(), or kLaplace
  std::vector<double> epsilons;         // each above 0
  std::vector<double> deltas;           // each in (0, 1)
  mechanism::Method method = mechanism::Method::kTight;
  TrialOptions trials;  // of each mechanism, epsilon and delta
  // Called when another row's parameters were found, from any thread; may be null.
  std::function<void()> planned;
};

// One mechanism at one target.
struct Row {
  std::string name;
  double epsilon = 0;
  double delta = 0;
  bool feasible = false;
  bool central = false;
  std::string reason;  // why it is not feasible, or what is to be said about it
  // Null if it is not feasible, or central.
  std::shared_ptr<const mechanism::Mechanism> mechanism;
  // The following are of feasible rows only.
  double predicted = 0;  // of errors.raw
  Errors errors;         // by SimulateRows
  // Of devices that hold several things only (item_experiment.h): how many cells are sent, 0 of a
  // central row; of how many keys the means are measured, their error and its prediction.
  int64_t sent = 0;
  int64_t mean_keys = 0;
  Mean mean_errors;
  double mean_predicted = 0;
  // Of numbers only (number_experiment.h): the tree, and the share of batches of which every
  // quantile is in its true bin. Of how many levels a device speaks is `sent`. Where means alone
  // are asked for instead: how many levels numbers become.
  std::optional<int64_t> branching;
  Mean quantiles_exact;
  std::optional<int64_t> levels;
  // Of records only (record_experiment.h): the cells, and what all answers are off by.
  std::shared_ptr<const RecordData> record_data;
  std::optional<RecordPrediction> records;
};

// One row for each delta, epsilon and mechanism, in this order of nesting, of which nothing else is
// known. InvalidArgument names what is wrong.
absl::StatusOr<std::vector<Row>> EmptyRows(const Experiment& experiment);
// The seed of a row's trials.
uint64_t RowSeed(uint64_t seed, const Experiment& experiment, const Row& row);

// EmptyRows with the parameters that the planner finds for each, every user being honest and
// reporting once. What cannot be planned is a row that says so. InvalidArgument names what is
// wrong.
absl::StatusOr<std::vector<Row>> PlanRows(const Data& data, const Experiment& experiment);

// Measures the errors of the feasible rows. What a row draws depends on its mechanism, target and
// method, on the data and on the seed, not on which other rows there are.
absl::Status SimulateRows(const Data& data, const Experiment& experiment, std::vector<Row>& rows);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_EXPERIMENT_H_
