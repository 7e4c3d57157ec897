// What `tombola simulate` writes: JSON, a table for people, CSV and charts.
#ifndef TOMBOLA_CLI_SIMULATE_OUTPUT_H_
#define TOMBOLA_CLI_SIMULATE_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cli/command/command.h"
#include "cli/simulation/experiment.h"

namespace tombola::cli {

// What the rows have in common.
struct SimulationSetup {
  std::string data;  // as on the command line
  int64_t users = 0;
  int64_t domain = 0;  // 0: rows have domains of their own, or there is none
  std::string method;
  int64_t trials = 0;
  uint64_t seed = 0;
  bool real = false;
  std::string title;  // of the charts; else `data`
  // Of devices that hold several things: what a device says at most, and of key-value pairs the
  // levels; 0 of the others.
  std::string kind = "histogram";
  int64_t max_items = 0;
  int64_t levels = 0;

  // Of numbers: whether means alone are asked for, and whether a device may have none.
  bool mean_only = false;
  bool missing = false;
  int64_t max_records = 0;  // of records

  bool numbers() const { return kind == "number"; }
  bool trees() const { return numbers() && !mean_only; }
  bool records() const { return kind == "records"; }
  // Whether estimates are post-processed at all.
  bool processed() const { return !mean_only && !records(); }
};

// {"rows": […], …}. What is not known of a row (an error where it is not feasible, a standard error
// after one trial) is null. Where devices hold several things a row also says how many they send,
// and of key-value pairs the error of means. Of numbers errors are of ranges, and a row says its
// tree and how often every quantile was in its true bin, or, where they are of means, its levels.
// Of records a row says how many cells there are, and its views (record_output.h).
Json SimulationJson(const SimulationSetup& setup, absl::Span<const simulation::Row> rows);

// The same rows, with a heading.
std::string SimulationTable(const SimulationSetup& setup, absl::Span<const simulation::Row> rows);
std::string SimulationCsv(const SimulationSetup& setup, absl::Span<const simulation::Row> rows);

// Errors against epsilon, two charts for each delta: before post-processing, with local_hash after
// it as a further line, as the HP-SDP paper compares; and all after post-processing, where there is
// any.
struct ChartFile {
  std::string name;  // such as mse-raw-delta-1e-06.svg
  std::string svg;
};
std::vector<ChartFile> SimulationCharts(const SimulationSetup& setup,
                                        absl::Span<const simulation::Row> rows);

// Writes simulation.csv, of records views.csv, and the charts into a directory, which is made if it
// is missing.
absl::Status WriteSimulation(const std::string& directory, const SimulationSetup& setup,
                             absl::Span<const simulation::Row> rows);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_OUTPUT_H_
