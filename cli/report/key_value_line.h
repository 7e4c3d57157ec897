// A line of a device that holds key-value pairs.
#ifndef TOMBOLA_CLI_REPORT_KEY_VALUE_LINE_H_
#define TOMBOLA_CLI_REPORT_KEY_VALUE_LINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/report/line_reader.h"

namespace tombola::cli {

// A JSON object whose members are numbers, {"a": 0.5}. A member that is there twice is two pairs.
// InvalidArgument: it is none.
absl::StatusOr<Record> KeyValueRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_KEY_VALUE_LINE_H_
