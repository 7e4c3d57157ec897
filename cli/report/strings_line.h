// A line of a device that holds a string.
#ifndef TOMBOLA_CLI_REPORT_STRINGS_LINE_H_
#define TOMBOLA_CLI_REPORT_STRINGS_LINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/record.h"

namespace tombola::cli {

// As a histogram's value; the empty string is "", as lines without anything are no devices.
// InvalidArgument: it says none.
absl::StatusOr<Record> StringsRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_STRINGS_LINE_H_
