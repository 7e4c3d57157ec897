#include "cli/report/records_join.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/command/schema_file.h"
#include "cli/report/records_line.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

using LineJson = nlohmann::json;

constexpr char kProfile[] = "profile";
constexpr char kRows[] = "rows";

absl::StatusOr<std::vector<Row>> RowsOf(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(Record record, RecordsRecord(line));
  return std::get<std::vector<Row>>(std::move(record));
}

// Told of what is parsed: which member one of the objects has twice, of which a Json keeps one.
class Members {
 public:
  bool operator()(int, LineJson::parse_event_t event, const LineJson& parsed) {
    if (event == LineJson::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == LineJson::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == LineJson::parse_event_t::key) {
      std::string name = parsed.get<std::string>();
      if (!open_.back().insert(name).second && !twice_.has_value()) twice_ = std::move(name);
    }
    return true;
  }

  const std::optional<std::string>& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> twice_;
};

// Whether one of the two members is more than a text or a number.
bool HasLists(const LineJson& json) {
  const auto has = [&](const char* name) {
    return json.contains(name) && json[name].is_structured();
  };
  return json.is_object() && (has(kProfile) || has(kRows));
}

bool IsPlain(const LineJson& json) {
  return json.is_object() && std::none_of(json.begin(), json.end(), [](const LineJson& member) {
           return member.is_structured();
         });
}

bool IsWithProfile(const LineJson& json) {
  return json.size() == 2 && json.contains(kProfile) && json.contains(kRows) &&
         IsPlain(json[kProfile]) && json[kRows].is_array() &&
         std::all_of(json[kRows].begin(), json[kRows].end(), IsPlain);
}

absl::Status AddTables(const LineJson& joins, const std::filesystem::path& folder, StarJoin* join) {
  if (!joins.is_array()) return absl::InvalidArgumentError("joins must be a list");
  for (const LineJson& wanted : joins) {
    const bool good = wanted.is_object() && wanted.size() == 2 && wanted.contains("table") &&
                      wanted.contains("key") && wanted["table"].is_string() &&
                      wanted["key"].is_string();
    if (!good) {
      return absl::InvalidArgumentError(
          "joins must be objects of \"table\", a CSV file, and \"key\", a column of it");
    }
    const std::string file = (folder / wanted["table"].get<std::string>()).string();
    TOMBOLA_ASSIGN_OR_RETURN(const std::string csv, ReadSmallFile(file));
    const absl::Status added = join->AddTable(csv, wanted["key"].get<std::string>());
    if (!added.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(file, ": ", added.message()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecordsJoin> RecordsJoin::Read(const std::string& schema_file) {
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Records records, ReadRecordsSchema(schema_file));
  std::vector<std::string> labelled;
  for (const v1::Attribute& attribute : records.attributes()) {
    if (attribute.edges().empty()) labelled.push_back(attribute.name());
  }
  StarJoin join(std::move(labelled));
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(schema_file));
  const LineJson json = LineJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.contains("joins")) {
    const absl::Status added =
        AddTables(json["joins"], std::filesystem::path(schema_file).parent_path(), &join);
    if (!added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--schema: ", schema_file, ": ", added.message()));
    }
  }
  return RecordsJoin(std::move(join));
}

absl::StatusOr<Record> RecordsJoin::Joined(const std::vector<Row>& rows, const Row& profile,
                                           int64_t* left_out) const {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> joined, join_.Join(rows, profile));
  if (left_out != nullptr) *left_out += static_cast<int64_t>(rows.size() - joined.size());
  return Record(std::move(joined));
}

absl::StatusOr<Record> RecordsJoin::ReadLine(absl::string_view line, int64_t* left_out) const {
  Members members;
  const LineJson json =
      LineJson::parse(line.begin(), line.end(), std::ref(members), /*allow_exceptions=*/false);
  if (!HasLists(json)) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Row> rows, RowsOf(line));
    return Joined(rows, {}, left_out);
  }
  if (!IsWithProfile(json)) {
    return absl::InvalidArgumentError(
        "it must be {\"profile\": {...}, \"rows\": [...]} of an object and a list of objects of "
        "texts "
        "and numbers, or such an object or list alone");
  }
  if (members.twice().has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("\"", *members.twice(), "\" is there twice"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Row> profile, RowsOf(json[kProfile].dump()));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Row> rows, RowsOf(json[kRows].dump()));
  return Joined(rows, profile.front(), left_out);
}

}  // namespace tombola::cli
