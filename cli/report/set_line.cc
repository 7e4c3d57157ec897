#include "cli/report/set_line.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/command/json_record.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<Record> SetRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<std::string> names, ReadNames(line));
  return Record(std::move(names));
}

}  // namespace tombola::cli
