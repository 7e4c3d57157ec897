#include "cli/report/set_line.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tombola::cli {

absl::StatusOr<Record> SetRecord(absl::string_view line) {
  using Json = nlohmann::json;
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_array()) {
    return absl::InvalidArgumentError("it must be a JSON list of values, as [\"a\", \"b\"]");
  }
  std::vector<std::string> values;
  values.reserve(json.size());
  for (const Json& value : json) {
    if (value.is_string()) {
      values.push_back(value.get<std::string>());
    } else if (value.is_number_integer()) {
      values.push_back(value.dump());
    } else {
      return absl::InvalidArgumentError("the values of its list must be texts or whole numbers");
    }
  }
  return Record(std::move(values));
}

}  // namespace tombola::cli
