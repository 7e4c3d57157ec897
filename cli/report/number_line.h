// A line of a device with a number.
#ifndef TOMBOLA_CLI_REPORT_NUMBER_LINE_H_
#define TOMBOLA_CLI_REPORT_NUMBER_LINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/report/line_reader.h"

namespace tombola::cli {

// As ReadNumber (cli/command/json_record.h).
absl::StatusOr<Record> NumberRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_NUMBER_LINE_H_
