// Lines of devices whose records are joined with the tables that a schema file names.
#ifndef TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_
#define TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tombola/record.h"
#include "tombola/star_join.h"

namespace tombola::cli {

// What RecordsRecord reads, and {"profile": {...}, "rows": [...]}, joined. Immutable and
// thread-safe.
class RecordsJoin {
 public:
  // Of the schema file (cli/command/schema_file.h) its attributes' names and "joins": each
  // {"table", a CSV file that is found from the schema's folder, "key", the column's name}.
  // InvalidArgument naming the file and what is wrong; NotFound where it cannot be read.
  static absl::StatusOr<RecordsJoin> Read(const std::string& schema_file);

  // InvalidArgument: the line says no records, or they cannot be joined.
  absl::StatusOr<Record> ReadLine(absl::string_view line) const;

 private:
  explicit RecordsJoin(StarJoin join) : join_(std::move(join)) {}

  StarJoin join_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_
