// What `tombola query` asks about strings, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_STRINGS_H_
#define TOMBOLA_CLI_QUERY_STRINGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "cli/query/face.h"

namespace tombola::cli {

// In a table or a chart the 50 that most devices hold, unless it is said how many.
QueryFace StringsFace();

// A string for a terminal: what is no UTF-8, control characters and backslashes as \xNN, and in
// quotes where it begins or ends with a blank or is empty. Devices choose what stands there.
std::string Printable(absl::string_view text);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STRINGS_H_
