// tombola simulate --kind stream: what it writes.
#ifndef TOMBOLA_CLI_SIMULATE_STREAMS_H_
#define TOMBOLA_CLI_SIMULATE_STREAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/command/command.h"
#include "cli/simulate/output.h"
#include "cli/simulation/stream_experiment.h"

namespace tombola::cli {

struct SimulatedStreamFlags {
  std::optional<int64_t> periods;
  std::string structure = "auto";
  int64_t device_periods = 1;

  bool any() const { return periods.has_value() || structure != "auto" || device_periods != 1; }
};

// What the rows have in common.
struct StreamSetup {
  SimulationSetup simulation;  // its users are those of a period
  int64_t periods = 0;
  int64_t device_periods = 1;
};

// InvalidArgument names the flag that is missing or out of its bounds.
absl::StatusOr<simulation::StreamExperiment> StreamsAsked(const SimulatedStreamFlags& flags,
                                                          simulation::Experiment experiment);

// {"rows": [{"mechanism", "structure", "epsilon", "delta", "feasible", "reason", "depth",
// "variance_mean", "variance_max", "variance_single", …}], …}: each variance with its standard
// error and the predicted one, all null where a row is not feasible.
Json StreamsJson(const StreamSetup& setup, absl::Span<const simulation::StreamRow> rows);
// The same for people, and as CSV; and of every total, a line each.
std::string StreamsTable(const StreamSetup& setup, absl::Span<const simulation::StreamRow> rows);
std::string StreamsCsv(const StreamSetup& setup, absl::Span<const simulation::StreamRow> rows);
std::string StreamTotalsCsv(absl::Span<const simulation::StreamRow> rows);

// Of each target the variance of totals over time, measured; and against epsilon its mean.
std::vector<ChartFile> StreamCharts(const StreamSetup& setup,
                                    absl::Span<const simulation::StreamRow> rows);

// Writes simulation.csv, totals.csv and the charts into a directory, which is made if it is
// missing.
absl::Status WriteStreams(const std::string& directory, const StreamSetup& setup,
                          absl::Span<const simulation::StreamRow> rows);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_STREAMS_H_
