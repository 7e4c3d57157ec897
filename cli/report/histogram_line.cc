#include "cli/report/histogram_line.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

absl::StatusOr<std::string> TextOf(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return absl::InvalidArgumentError("value must be a text or a whole number");
}

}  // namespace

absl::StatusOr<std::string> HistogramValue(absl::string_view line) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(line);
  if (text.find_first_of("{[\"") != 0) return std::string(line);
  const nlohmann::json json =
      nlohmann::json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return absl::InvalidArgumentError(
        "it begins as JSON and is none; a value that begins with {, [ or \" is written as a JSON "
        "text");
  }
  if (json.is_array()) {
    return absl::InvalidArgumentError(
        "it must be a text or an object with the member value, not a list");
  }
  if (!json.is_object()) return TextOf(json);
  if (json.size() != 1 || !json.contains("value")) {
    return absl::InvalidArgumentError("the object must have the member value and no other");
  }
  return TextOf(json["value"]);
}

absl::StatusOr<Record> HistogramRecord(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(std::string value, HistogramValue(line));
  return Record(std::move(value));
}

}  // namespace tombola::cli
