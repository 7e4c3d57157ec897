// A file that says how many records devices have.
#ifndef TOMBOLA_CLI_COMMAND_SIZES_FILE_H_
#define TOMBOLA_CLI_COMMAND_SIZES_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/plan/record_sizes.h"

namespace tombola::cli {

// A line for each number of records: that number and how many devices have so many, or their share,
// with a comma or spaces between: "3,1250". InvalidArgument naming --sizes, the file, the line and
// its bound.
absl::StatusOr<mechanism::RecordSizes> ReadSizesFile(const std::string& path);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_SIZES_FILE_H_
