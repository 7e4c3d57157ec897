#include "cli/report/device_lines.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tombola::cli {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

Devices DeviceLines::Next(size_t limit) {
  Devices devices;
  std::string line;
  while (devices.values.size() < limit && std::getline(in_, line)) {
    ++line_;
    absl::string_view said = line;
    if (line_ == 1) absl::ConsumePrefix(&said, kByteOrderMark);
    absl::ConsumeSuffix(&said, "\r");
    if (absl::StripAsciiWhitespace(said).empty()) continue;
    absl::StatusOr<std::string> value = HistogramValue(said);
    if (value.ok()) {
      devices.values.push_back(*std::move(value));
      devices.lines.push_back(line_);
      continue;
    }
    ++bad_;
    if (complaints_.size() < kMostComplaints) {
      complaints_.push_back(absl::StrCat("line ", line_, ": ", value.status().message()));
    }
  }
  return devices;
}

std::vector<std::string> NotSent(const DeviceLines& lines, const ManyOutcome& outcome) {
  std::vector<std::string> complaints = lines.complaints();
  for (const int64_t line : outcome.outside) {
    complaints.push_back(absl::StrCat("line ", line, ": it is not among the task's values"));
  }
  const int64_t more = lines.bad() + outcome.rejected - static_cast<int64_t>(complaints.size());
  if (more > 0 && !complaints.empty()) complaints.push_back(absl::StrCat("and ", more, " more"));
  return complaints;
}

}  // namespace tombola::cli
