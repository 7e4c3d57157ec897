// tombola simulate --kind strings
#ifndef TOMBOLA_CLI_SIMULATE_STRINGS_H_
#define TOMBOLA_CLI_SIMULATE_STRINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/command/string_flags.h"
#include "cli/simulation/data.h"

namespace tombola::cli {

struct StringSimulation {
  simulation::DataRequest data;  // with the seed
  StringFlags strings;
  bool fold_case = false;
  bool counted = false;
  std::vector<std::string> mechanisms;  // or "all"
  std::vector<double> epsilons, deltas;
  int64_t trials = 1;
  int threads = 1;
  std::string out;  // a folder that is there; empty: none
  bool json = false;
};

// Sends the strings of a data set in each way at each target, finds them, and prints what was found
// beside what the plan says. InvalidArgument names the flag, or the file's line.
absl::Status SimulateStrings(const StringSimulation& asked);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_STRINGS_H_
