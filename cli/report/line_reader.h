// How a line of `report --input` is read, for each kind of task.
#ifndef TOMBOLA_CLI_REPORT_LINE_READER_H_
#define TOMBOLA_CLI_REPORT_LINE_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/record.h"

namespace tombola::cli {

struct LineReader {
  absl::string_view kind;  // its name
  // The record that a line without its end says. InvalidArgument: it says none, with the reason in
  // words that follow "line 7: ".
  absl::StatusOr<Record> (*read)(absl::string_view line);
};

// One for each of Kinds::BuiltIn().
const std::vector<LineReader>& AllLineReaders();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_LINE_READER_H_
