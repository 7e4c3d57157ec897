// Lines of devices whose records are joined with the tables that a schema file names.
#ifndef TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_
#define TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

  // InvalidArgument: the line says no records, or they cannot be joined. Adds to `left_out`, unless
  // null, how many rows have a key that a table does not have.
  absl::StatusOr<Record> ReadLine(absl::string_view line, int64_t* left_out = nullptr) const;

 private:
  explicit RecordsJoin(StarJoin join) : join_(std::move(join)) {}

  absl::StatusOr<Record> Joined(const std::vector<Row>& rows, const Row& profile,
                                int64_t* left_out) const;

  StarJoin join_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_REPORT_RECORDS_JOIN_H_
