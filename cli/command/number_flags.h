// Which bins, and what tree above them, the flags of a command ask for.
#ifndef TOMBOLA_CLI_COMMAND_NUMBER_FLAGS_H_
#define TOMBOLA_CLI_COMMAND_NUMBER_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tombola/v1/task.pb.h"

namespace tombola::cli {

// Where nothing else is asked for.
inline constexpr uint64_t kUsualResolution = 1024;

struct NumberFlags {
  std::string value_range;  // LO:HI; may be left out where edges are given
  std::optional<uint64_t> resolution;
  std::string edges_file;
  std::vector<double> edges;  // a task file may list them instead
  bool missing = false;
  bool mean_only = false;
  std::optional<uint32_t> levels;  // with mean_only
  std::optional<uint32_t> branching;
};

struct AskedNumbers {
  v1::Numbers wire;   // without branching and sent
  uint64_t bins = 0;  // or levels, of which 0 are the planner's choice
};

// "-1:1", finite and the first below the second. InvalidArgument names --value-range.
absl::StatusOr<std::pair<double, double>> ReadValueRange(const std::string& text);

// InvalidArgument names the flag, and of a file the line.
absl::StatusOr<AskedNumbers> ReadNumbers(const NumberFlags& flags);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_NUMBER_FLAGS_H_
