#include "tombola/star_join.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"

namespace tombola {
namespace {

// Lines of comma-separated values, one after the other.
class CsvLines {
 public:
  explicit CsvLines(absl::string_view csv) : left_(csv) {
    absl::ConsumePrefix(&left_, "\xEF\xBB\xBF");  // a byte order mark
  }

  int64_t line() const { return line_; }

  // None at the end. InvalidArgument naming the line: a quote that is not closed, or that ends
  // before its field does.
  absl::StatusOr<std::optional<std::vector<std::string>>> Next() {
    if (left_.empty()) return std::nullopt;
    ++line_;
    std::vector<std::string> fields;
    while (true) {
      TOMBOLA_ASSIGN_OR_RETURN(std::string field, Field());
      fields.push_back(std::move(field));
      if (left_.empty()) return fields;
      const char next = left_.front();
      left_.remove_prefix(next == '\r' && left_.size() > 1 && left_[1] == '\n' ? 2 : 1);
      if (next != ',') return fields;
    }
  }

 private:
  absl::StatusOr<std::string> Field() {
    if (left_.empty() || left_.front() != '"') {
      const size_t end = std::min(left_.find_first_of(",\r\n"), left_.size());
      std::string field(left_.substr(0, end));
      left_.remove_prefix(end);
      return field;
    }
    std::string field;
    left_.remove_prefix(1);
    while (true) {
      const size_t quote = left_.find('"');
      if (quote == absl::string_view::npos) return Bad("has a quote that is not closed");
      absl::StrAppend(&field, left_.substr(0, quote));
      left_.remove_prefix(quote + 1);
      if (left_.empty() || left_.front() != '"') break;
      field.push_back('"');
      left_.remove_prefix(1);
    }
    if (!left_.empty() && left_.find_first_of(",\r\n") != 0) {
      return Bad("has a quote that ends before its field");
    }
    return field;
  }

  absl::Status Bad(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("line ", line_, " ", what));
  }

  absl::string_view left_;
  int64_t line_ = 0;
};

// A number in as few digits as tell it from all others, without an exponent: 1234567 is no
// "1.23457e+06", which would be the key of others too.
std::string KeyText(const Field& field) {
  const auto* const text = std::get_if<std::string>(&field.value);
  if (text != nullptr) return *text;
  std::array<char, 512> digits;                               // the longest has 325 of them
  const double number = std::get<double>(field.value) + 0.0;  // -0 is 0
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  return std::string(digits.data(), end.ptr);
}

absl::Status AddField(const Field& field, Row* row) {
  for (const Field& before : *row) {
    if (before.name == field.name) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", field.name, "\" is in a row and in what it is joined with"));
    }
  }
  row->push_back(field);
  return absl::OkStatus();
}

}  // namespace

StarJoin::StarJoin(std::vector<std::string> texts) : texts_(std::move(texts)) {}

absl::Status StarJoin::AddTable(absl::string_view csv, const std::string& key) {
  CsvLines lines(csv);
  TOMBOLA_ASSIGN_OR_RETURN(const auto names, lines.Next());
  if (!names.has_value()) return absl::InvalidArgumentError("the table has no line of names");
  const auto at = std::find(names->begin(), names->end(), key);
  if (at == names->end()) {
    return absl::InvalidArgumentError(absl::StrCat("the table has no column \"", key, "\""));
  }
  const auto key_column = static_cast<size_t>(at - names->begin());
  Table table{.key = key};
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(auto fields, lines.Next());
    if (!fields.has_value()) break;
    if (fields->size() == 1 && fields->front().empty()) continue;
    if (fields->size() != names->size()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", lines.line(), " has ", fields->size(),
                                                     " fields; the first has ", names->size()));
    }
    Row row;
    for (size_t i = 0; i < fields->size(); ++i) {
      if (i == key_column) continue;
      Field field{.name = (*names)[i]};
      double number = 0;
      const bool is_text = std::find(texts_.begin(), texts_.end(), field.name) != texts_.end() ||
                           !absl::SimpleAtod((*fields)[i], &number) || !std::isfinite(number);
      if (is_text) {
        field.value = (*fields)[i];
      } else {
        field.value = number;
      }
      TOMBOLA_RETURN_IF_ERROR(AddField(field, &row));
    }
    if (!table.rows.emplace((*fields)[key_column], std::move(row)).second) {
      return absl::InvalidArgumentError(absl::StrCat("line ", lines.line(), ": ", key, " \"",
                                                     (*fields)[key_column], "\" is there twice"));
    }
  }
  tables_.push_back(std::move(table));
  return absl::OkStatus();
}

// False: the table does not have its key.
absl::StatusOr<bool> StarJoin::AddColumns(const Table& table, Row* row) const {
  const auto key = std::find_if(row->begin(), row->end(),
                                [&](const Field& field) { return field.name == table.key; });
  if (key == row->end()) {
    return absl::InvalidArgumentError(absl::StrCat("a row lacks \"", table.key, "\""));
  }
  const auto found = table.rows.find(KeyText(*key));
  if (found == table.rows.end()) return false;
  for (const Field& field : found->second) TOMBOLA_RETURN_IF_ERROR(AddField(field, row));
  return true;
}

absl::StatusOr<std::vector<Row>> StarJoin::Join(absl::Span<const Row> rows,
                                                const Row& profile) const {
  std::vector<Row> joined;
  for (const Row& own : rows) {
    Row row = own;
    for (const Field& field : profile) TOMBOLA_RETURN_IF_ERROR(AddField(field, &row));
    bool complete = true;
    for (const Table& table : tables_) {
      TOMBOLA_ASSIGN_OR_RETURN(complete, AddColumns(table, &row));
      if (!complete) break;
    }
    if (complete) joined.push_back(std::move(row));
  }
  return joined;
}

}  // namespace tombola
