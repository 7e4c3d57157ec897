// How far off means of numbers are that become one of few levels, predicted and measured.
#ifndef TOMBOLA_CLI_SIMULATION_NUMBER_MEANS_H_
#define TOMBOLA_CLI_SIMULATION_NUMBER_MEANS_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "cli/simulation/number_data.h"
#include "cli/simulation/trials.h"
#include "common/mechanism/mechanism.h"
#include "common/table/count_model.h"

namespace tombola::simulation {

// Who counts so many levels and, where a device may have no number, a cell for those: a mechanism,
// or where it is null a trusted party that adds Laplace noise to every count.
struct MeanCounting {
  int64_t levels = 0;
  std::shared_ptr<const mechanism::Mechanism> mechanism;
  double epsilon = 0;  // of the trusted party
};

// The squared error of the mean as a share of the distance between the edges: by noise, and by the
// coins that round numbers. The counts of all devices are known to add up to how many there are.
double PredictMean(const MeanCounting& counting, const NumberData& data);

// As RunTrials, in its statuses too.
absl::StatusOr<Mean> RunMeanTrials(const MeanCounting& counting, const NumberData& data,
                                   const TrialOptions& options);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_NUMBER_MEANS_H_
