// The devices of `tombola simulate --kind number`, from flags.
#ifndef TOMBOLA_CLI_SIMULATE_NUMBERS_H_
#define TOMBOLA_CLI_SIMULATE_NUMBERS_H_

#include <istream>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/simulation/data.h"
#include "common/kind/bins.h"

namespace tombola::cli {

// How many devices have a number in each bin, from lines of `tombola report --input`. `users` lines
// are read, all if it is absent. InvalidArgument names the line; `name` stands in messages.
absl::StatusOr<simulation::Data> ReadBins(std::istream& lines, absl::string_view name,
                                          const simulation::DataRequest& request, const Bins& bins);

// The devices of a law over the bins, or of file:PATH. InvalidArgument names the flag, or the
// file's line.
absl::StatusOr<simulation::Data> MakeNumberData(const simulation::DataRequest& request,
                                                const Bins& bins);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_NUMBERS_H_
