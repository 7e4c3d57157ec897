// Totals over time compared: planned, predicted and simulated for each mechanism and structure.
#ifndef TOMBOLA_CLI_SIMULATION_STREAM_EXPERIMENT_H_
#define TOMBOLA_CLI_SIMULATION_STREAM_EXPERIMENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/simulation/data.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/trials.h"
#include "common/plan/stream.h"

namespace tombola::simulation {

// Counts that a simulation holds: of every value in every period.
inline constexpr int64_t kMostStreamCounts = int64_t{1} << 24;

// How many devices hold each value, period by period; as many devices in each.
struct StreamData {
  std::vector<Data> periods;

  int64_t users() const { return periods.front().users; }
  int64_t domain() const { return periods.front().domain(); }
};

// Of a law every period is drawn anew; of a file all periods are its lines. InvalidArgument as
// MakeData, and for a number of periods that is out of bounds or makes more than kMostStreamCounts.
absl::StatusOr<StreamData> MakeStreamData(const DataRequest& request, int64_t periods);

struct StreamExperiment {
  Experiment experiment;
  std::optional<mechanism::StreamStructure> structure;  // else all
  int64_t device_periods = 1;
};

// The mechanisms that count streams.
std::vector<std::string> StreamMechanisms();

// One mechanism and structure at one target. Measured are squared errors of counts, averaged over
// the values and over the trials.
struct StreamRow {
  double epsilon = 0, delta = 0;
  mechanism::StreamCandidate planned;  // with what is predicted
  // What holds for a device of several periods (common/json/stream_plan.h).
  std::optional<accounting::EpsilonDelta> device;
  // Of all totals on average, of the one that is predicted to be the noisiest, and of single
  // periods on average.
  Mean mean, largest, single;
  // By period from the first on: of the total up to it.
  std::vector<double> measured, predicted;
};

// Rows for each delta and epsilon. InvalidArgument names what is wrong.
absl::StatusOr<std::vector<StreamRow>> PlanStreamRows(const StreamData& data,
                                                      const StreamExperiment& experiment);
// Measures the feasible ones. What a row draws depends on its mechanism, structure and target, on
// the data and on the seed, not on which other rows there are.
absl::Status SimulateStreamRows(const StreamData& data, const StreamExperiment& experiment,
                                std::vector<StreamRow>& rows);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_STREAM_EXPERIMENT_H_
