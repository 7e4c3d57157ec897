// What `tombola simulate --kind records` says of each view beside its rows.
#ifndef TOMBOLA_CLI_SIMULATE_RECORD_OUTPUT_H_
#define TOMBOLA_CLI_SIMULATE_RECORD_OUTPUT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "cli/command/command.h"
#include "cli/simulation/experiment.h"

namespace tombola::cli {

// For each view {"view", "errors": [{"of", "what", "answers", "mse", "mse_stderr",
// "mse_predicted"}, …]}, the errors as in RecordError; none of a row that is not feasible.
Json ViewErrorsJson(const simulation::Row& row);

// The same for people: roots of errors, of counts and sums in records and not for each device.
std::string ViewErrorsText(const simulation::Row& row, int64_t users);

// All rows' as CSV, a line an error.
std::string ViewErrorsCsv(absl::Span<const simulation::Row> rows);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_SIMULATE_RECORD_OUTPUT_H_
