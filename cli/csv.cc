#include "cli/csv.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tombola::cli {

std::string CsvText(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvNumber(double number) {
  char buffer[32];  // the longest, such as -2.2250738585072014e-308, has 24
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number).ptr;
  return std::string(buffer, end);
}

}  // namespace tombola::cli
