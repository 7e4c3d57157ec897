#include "cli/report/number_line.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "absl/status/status.h"

namespace tombola::cli {

absl::StatusOr<Record> NumberRecord(absl::string_view line) {
  nlohmann::json json =
      nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.size() == 1 && json.contains("value")) {
    json = nlohmann::json(json["value"]);
  }
  if (json.is_number()) return Record(std::optional<double>(json.get<double>()));
  if (json.is_null()) return Record(std::optional<double>());
  return absl::InvalidArgumentError(
      "it must be a JSON number such as 0.5, null for none, or {\"value\": 0.5}");
}

}  // namespace tombola::cli
