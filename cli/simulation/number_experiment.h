// Mechanisms compared on devices with a number each: planned, predicted and simulated.
#ifndef TOMBOLA_CLI_SIMULATION_NUMBER_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_NUMBER_EXPERIMENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/number_data.h"

namespace tombola::simulation {

struct NumberExperiment {
  Experiment experiment;
  std::optional<int64_t> branching;  // 0 or at least 2; none: the best of each row
  std::optional<int64_t> sent;       // likewise, of the levels of the tree
  // For means alone, of data that has points: of so many levels, 2 to kMostLevels; 0: the best
  // number of them for each row. There are no trees then.
  bool mean_only = false;
  int64_t levels = 0;
};

// As PlanRows and SimulateRows. A row's errors are of the share of devices that have a number in a
// range, averaged over all ranges, as least squares finds it; `pop` after projection of the bins.
// Its quantiles are the deciles and quartiles. The prediction takes devices to be spread evenly,
// which matters for randomised responses alone.
//
// Of means alone its errors are those of number_means.h, which are not post-processed, and
// predicted for the data.
absl::StatusOr<std::vector<Row>> PlanNumberRows(const NumberData& data,
                                                const NumberExperiment& experiment);
absl::Status SimulateNumberRows(const NumberData& data, const NumberExperiment& experiment,
                                std::vector<Row>& rows);

// The squared error of a range's share, averaged over all ranges, from the shares of bins. O(bins).
double RangeError(absl::Span<const double> shares, absl::Span<const double> truth);

// The bin in which the running maximum of the cumulated shares reaches the fraction; the last one
// where none does.
int64_t QuantileBin(absl::Span<const double> shares, double fraction);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_NUMBER_EXPERIMENT_H_
