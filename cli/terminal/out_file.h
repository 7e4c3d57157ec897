// --out FILE: what a command says, in a file instead of on standard output.
#ifndef TOMBOLA_CLI_TERMINAL_OUT_FILE_H_
#define TOMBOLA_CLI_TERMINAL_OUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tombola::cli {

// Says before the work is done what WriteOut would refuse. InvalidArgument: it is a directory or
// another thing that is no file, or its directory is missing.
absl::Status CheckOut(const std::string& path);

// The file has the old content or all of the new one, never a part. A symbolic link stays one.
absl::Status WriteOut(const std::string& path, absl::string_view content);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TERMINAL_OUT_FILE_H_
