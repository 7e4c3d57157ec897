// What `tombola simulate --kind strings` writes.
#ifndef TOMBOLA_CLI_SIMULATE_STRING_OUTPUT_H_
#define TOMBOLA_CLI_SIMULATE_STRING_OUTPUT_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/simulation/string_experiment.h"
#include "common/json/text.h"
#include "common/plan/strings.h"

namespace tombola::cli {

// A way of sending strings at one target, and what came of it.
struct StringRow {
  double epsilon = 0;
  double delta = 0;
  mechanism::StringPlan plan;
  // Of feasible plans only.
  simulation::StringScore score;
  double found_predicted = 0;
  std::array<double, simulation::kStringTops.size()> error_predicted{};
  double tests = 0;           // mean
  double decode_seconds = 0;  // likewise
  bool complete = true;       // in all trials
};

// What the rows have in common.
struct StringSetup {
  std::string data;  // as on the command line
  int64_t devices = 0;
  int64_t strings = 0;
  int64_t symbols = 0;
  int64_t trials = 0;
  uint64_t seed = 0;
};

// {"kind", "data", "users", "strings", "symbols", "length", "step", "levels", "trials", "seed",
// "rows"}: in a row null what there is not.
Json StringsJson(const StringSetup& setup, const std::vector<StringRow>& rows);
std::string StringsTable(const StringSetup& setup, const std::vector<StringRow>& rows);
std::string StringsCsv(const std::vector<StringRow>& rows);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_STRING_OUTPUT_H_
