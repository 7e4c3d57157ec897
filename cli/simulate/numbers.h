// The devices of `tombola simulate --kind number`, from flags.
#ifndef TOMBOLA_CLI_SIMULATE_NUMBERS_H_
#define TOMBOLA_CLI_SIMULATE_NUMBERS_H_

#include <istream>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "cli/simulation/number_data.h"
#include "common/kind/bins.h"

namespace tombola::cli {

struct NumberRequest {
  simulation::DataRequest data;
  // For means alone: those of a law's numbers, which lie in their middles.
  Bins bins;
  bool missing = false;
  bool mean_only = false;
};

// From lines of `tombola report --input`, how many devices have a number in each bin, or each
// number, and how many have none. `users` lines are read, all if it is absent. InvalidArgument
// names the line; `name` stands in messages.
absl::StatusOr<simulation::NumberData> ReadNumberLines(std::istream& lines, absl::string_view name,
                                                       const NumberRequest& request);

// The devices of a law over the bins, of which a tenth have no number where one may be missing; or
// of file:PATH. InvalidArgument names the flag, or the file's line.
absl::StatusOr<simulation::NumberData> MakeNumberData(const NumberRequest& request);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_NUMBERS_H_
