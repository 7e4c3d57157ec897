#include "cli/report/records_line.h"

#include <utility>
#include <vector>

#include "cli/command/json_record.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<Record> RecordsRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<JsonRow> read, ReadRows(line));
  std::vector<Row> rows;
  rows.reserve(read.size());
  for (JsonRow& members : read) {
    Row& row = rows.emplace_back();
    row.reserve(members.size());
    for (auto& [name, value] : members) row.push_back({std::move(name), std::move(value)});
  }
  return Record(std::move(rows));
}

}  // namespace tombola::cli
