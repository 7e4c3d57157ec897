#include "cli/report/key_value_line.h"

#include <utility>
#include <vector>

#include "cli/command/json_record.h"
#include "common/base/status_macros.h"

namespace tombola::cli {

absl::StatusOr<Record> KeyValueRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(auto pairs, ReadPairs(line));
  std::vector<KeyValue> record;
  record.reserve(pairs.size());
  for (auto& [key, number] : pairs) record.push_back({std::move(key), number});
  return Record(std::move(record));
}

}  // namespace tombola::cli
