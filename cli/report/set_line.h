// A line of a set's device.
#ifndef TOMBOLA_CLI_REPORT_SET_LINE_H_
#define TOMBOLA_CLI_REPORT_SET_LINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/report/line_reader.h"

namespace tombola::cli {

// A JSON list of texts or whole numbers, ["a", "b"]. InvalidArgument: it is none.
absl::StatusOr<Record> SetRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_SET_LINE_H_
