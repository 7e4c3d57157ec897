#include "cli/report/key_value_line.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

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
            if (numbers_) pairs_.back().value = parsed.get<double>();
          } else if (depth == 1 && event != Json::parse_event_t::key) {
            numbers_ = false;  // a list or an object within
          }
          return true;
        },
        /*allow_exceptions=*/false);
    return !json.is_discarded() && json.is_object() && numbers_;
  }

  std::vector<KeyValue> Take() { return std::move(pairs_); }

 private:
  std::vector<KeyValue> pairs_;
  bool numbers_ = true;
};

}  // namespace

absl::StatusOr<Record> KeyValueRecord(absl::string_view line) {
  ObjectMembers members;
  if (!members.Read(line)) {
    return absl::InvalidArgumentError(
        "it must be a JSON object of keys with numbers, as {\"a\": 0.5}");
  }
  return Record(members.Take());
}

}  // namespace tombola::cli
