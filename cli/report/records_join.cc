#include "cli/report/records_join.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/report/records_line.h"
#include "cli/command/schema_file.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

using LineJson = nlohmann::json;

absl::StatusOr<std::vector<Row>> RowsOf(absl::string_view line) {
  TOMBOLA_ASSIGN_OR_RETURN(Record record, RecordsRecord(line));
  return std::get<std::vector<Row>>(std::move(record));
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

absl::StatusOr<Record> RecordsJoin::ReadLine(absl::string_view line) const {
  const LineJson json =
      LineJson::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  const bool with_profile = json.is_object() && json.size() == 2 && json.contains("profile") &&
                            json.contains("rows") && json["rows"].is_array();
  Row profile;
  std::vector<Row> rows;
  if (with_profile) {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Row> read, RowsOf(json["profile"].dump()));
    if (read.size() != 1) return absl::InvalidArgumentError("its profile must be one object");
    profile = read.front();
    TOMBOLA_ASSIGN_OR_RETURN(rows, RowsOf(json["rows"].dump()));
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(rows, RowsOf(line));
  }
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> joined, join_.Join(rows, profile));
  return Record(std::move(joined));
}

}  // namespace tombola::cli
