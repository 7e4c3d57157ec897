#include "cli/report/number_line.h"

#include "cli/command/json_record.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<Record> NumberRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::optional<double> number, ReadNumber(line));
  return Record(number);
}

}  // namespace tombola::cli
