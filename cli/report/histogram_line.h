// A line of a histogram's device.
#ifndef TOMBOLA_CLI_REPORT_HISTOGRAM_LINE_H_
#define TOMBOLA_CLI_REPORT_HISTOGRAM_LINE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/record.h"

namespace tombola::cli {

// The value that a line says. A line that begins with {, [ or ", blanks before it or not, is JSON:
// a text, or an object with the one member "value", a text or a whole number. Any other line is the
// value as it stands. InvalidArgument: it is no such JSON.
absl::StatusOr<std::string> HistogramValue(absl::string_view line);
// The same as a record.
absl::StatusOr<Record> HistogramRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_HISTOGRAM_LINE_H_
