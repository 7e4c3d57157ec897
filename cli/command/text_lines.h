// A file that a person wrote, line by line.
#ifndef TOMBOLA_CLI_COMMAND_TEXT_LINES_H_
#define TOMBOLA_CLI_COMMAND_TEXT_LINES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::cli {

// The lines of a text file, without line ends. A file that cannot be read is refused with the flag
// that names it.
absl::StatusOr<std::vector<std::string>> ReadLines(absl::string_view flag, const std::string& path);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_COMMAND_TEXT_LINES_H_
