#include "common/json/csv.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tombola {

void AppendCsvText(absl::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) {
    out->append(text.data(), text.size());
  } else {
    absl::StrAppend(out, "\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
  }
}

std::string CsvText(absl::string_view text) {
  std::string out;
  AppendCsvText(text, &out);
  return out;
}

void AppendCsvNumber(double number, std::string* out) {
  char buffer[32];  // the longest, such as -2.2250738585072014e-308, has 24
  out->append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), number).ptr);
}

std::string CsvNumber(double number) {
  std::string out;
  AppendCsvNumber(number, &out);
  return out;
}

}  // namespace tombola
