#include "cli/report/device_lines.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tombola::cli {
namespace {

using Json = nlohmann::json;

absl::StatusOr<std::string> TextOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return absl::InvalidArgumentError("value must be a text or a whole number");
}

}  // namespace

absl::StatusOr<std::string> HistogramValue(absl::string_view line) {
  if (!absl::StartsWith(line, "{") && !absl::StartsWith(line, "\"")) return std::string(line);
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return absl::InvalidArgumentError(
        "it begins as JSON and is none; a value that begins with { or \" is written as a JSON "
        "text");
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
    if (absl::EndsWith(line, "\r")) line.pop_back();
    absl::StatusOr<std::string> value = HistogramValue(line);
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

}  // namespace tombola::cli
