#include "cli/command/json_record.h"

#include <nlohmann/json.hpp>

#include "absl/status/status.h"

namespace tombola::cli {
namespace {

// An object's members in their order, those that are there twice too, which a Json would join.
class ObjectMembers {
 public:
  using Json = nlohmann::json;

  // Whether the line is an object of numbers.
  bool Read(absl::string_view line) {
    const Json json = Json::parse(
        line.begin(), line.end(),
        [this](int depth, Json::parse_event_t event, Json& parsed) {
          if (depth == 1 && event == Json::parse_event_t::key) {
            pairs_.push_back({parsed.get<std::string>(), 0});
          } else if (depth == 1 && event == Json::parse_event_t::value) {
            numbers_ = numbers_ && parsed.is_number() && !pairs_.empty();
            if (numbers_) pairs_.back().second = parsed.get<double>();
          } else if (depth == 1 && event != Json::parse_event_t::key) {
            numbers_ = false;  // a list or an object within
          }
          return true;
        },
        /*allow_exceptions=*/false);
    return !json.is_discarded() && json.is_object() && numbers_;
  }

  std::vector<std::pair<std::string, double>> Take() { return std::move(pairs_); }

 private:
  std::vector<std::pair<std::string, double>> pairs_;
  bool numbers_ = true;
};

// One object's, or those of a list of objects.
class RowMembers {
 public:
  using Json = nlohmann::json;

  bool Read(absl::string_view line) {
    const Json json = Json::parse(
        line.begin(), line.end(),
        [this](int depth, Json::parse_event_t event, Json& parsed) {
          Take(depth, event, parsed);
          return true;
        },
        /*allow_exceptions=*/false);
    return !json.is_discarded() && good_ && (json.is_object() || json.is_array());
  }

  std::vector<JsonRow> TakeRows() { return std::move(rows_); }

 private:
  // Objects are at the depth `within_`: 0, or 1 in a list.
  void Take(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth == 0 && event == Json::parse_event_t::array_start) {
      within_ = 1;
    } else if (event == Json::parse_event_t::array_start) {
      good_ = false;
    } else if (event == Json::parse_event_t::object_start) {
      good_ = good_ && depth == within_;
      rows_.emplace_back();
    } else if (event == Json::parse_event_t::key) {
      rows_.back().emplace_back(parsed.get<std::string>(), 0.0);
    } else if (event == Json::parse_event_t::value) {
      TakeValue(depth, parsed);
    }
  }

  void TakeValue(int depth, const Json& parsed) {
    good_ = good_ && depth == within_ + 1 && !rows_.empty() && !rows_.back().empty() &&
            (parsed.is_number() || parsed.is_string());
    if (!good_) return;
    auto& value = rows_.back().back().second;
    if (parsed.is_number()) {
      value = parsed.get<double>();
    } else {
      value = parsed.get<std::string>();
    }
  }

  int within_ = 0;
  bool good_ = true;
  std::vector<JsonRow> rows_;
};

}  // namespace

absl::StatusOr<std::vector<JsonRow>> ReadRows(absl::string_view line) {
  RowMembers members;
  if (!members.Read(line)) {
    return absl::InvalidArgumentError(
        "it must be a JSON object of texts and numbers, as {\"age\": 31, \"city\": \"Oslo\"}, or a "
        "list of them");
  }
  return members.TakeRows();
}

absl::StatusOr<std::vector<std::string>> ReadNames(absl::string_view line) {
  using Json = nlohmann::json;
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_array()) {
    return absl::InvalidArgumentError("it must be a JSON list of values, as [\"a\", \"b\"]");
  }
  std::vector<std::string> names;
  names.reserve(json.size());
  for (const Json& value : json) {
    if (value.is_string()) {
      names.push_back(value.get<std::string>());
    } else if (value.is_number_integer()) {
      names.push_back(value.dump());
    } else {
      return absl::InvalidArgumentError("the values of its list must be texts or whole numbers");
    }
  }
  return names;
}

absl::StatusOr<std::vector<std::pair<std::string, double>>> ReadPairs(absl::string_view line) {
  ObjectMembers members;
  if (!members.Read(line)) {
    return absl::InvalidArgumentError(
        "it must be a JSON object of keys with numbers, as {\"a\": 0.5}");
  }
  return members.Take();
}

absl::StatusOr<std::optional<double>> ReadNumber(absl::string_view line) {
  using Json = nlohmann::json;
  Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_object() && json.size() == 1 && json.contains("value")) json = Json(json["value"]);
  if (json.is_number()) return json.get<double>();
  if (json.is_null()) return std::optional<double>();
  return absl::InvalidArgumentError(
      "it must be a JSON number such as 0.5, null for none, or {\"value\": 0.5}");
}

}  // namespace tombola::cli
