// A line of a stream's device: the value that it has in the present period.
#ifndef TOMBOLA_CLI_REPORT_STREAM_LINE_H_
#define TOMBOLA_CLI_REPORT_STREAM_LINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/record.h"

namespace tombola::cli {

// As a histogram's. InvalidArgument: it says no value.
absl::StatusOr<Record> StreamRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_STREAM_LINE_H_
