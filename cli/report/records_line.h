// A line of a device that holds records.
#ifndef TOMBOLA_CLI_REPORT_RECORDS_LINE_H_
#define TOMBOLA_CLI_REPORT_RECORDS_LINE_H_

#include "absl/status/statusor.h"
#include "cli/report/line_reader.h"

namespace tombola::cli {

// A JSON object whose members are numbers and texts, {"age": 31, "city": "Oslo"}, or a list of such
// objects; [] is a device without a record. InvalidArgument: it is none.
absl::StatusOr<Record> RecordsRecord(absl::string_view line);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_RECORDS_LINE_H_
