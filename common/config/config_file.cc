#include "common/config/config_file.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tombola::config {
namespace {

absl::Status At(const std::string& file, const toml::source_region& where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", where.begin.line, ": ", what));
}

}  // namespace

absl::StatusOr<std::vector<Entry>> ParseConfigFile(absl::string_view content,
                                                   const std::string& file) {
  const toml::parse_result result =
      toml::parse(std::string_view(content.data(), content.size()), file);
  if (!result) {
    const std::string_view what = result.error().description();
    return At(file, result.error().source(), absl::string_view(what.data(), what.size()));
  }
  std::vector<Entry> entries;
  for (const auto& [name, node] : result.table()) {
    Entry entry;
    entry.key = std::string(name.str());
    entry.line = static_cast<int>(name.source().begin.line);
    if (node.is_string()) {
      entry.kind = ValueKind::kText;
      entry.value = **node.as_string();
    } else if (node.is_integer()) {
      entry.kind = ValueKind::kNumber;
      entry.value = absl::StrCat(**node.as_integer());
    } else if (node.is_boolean()) {
      entry.kind = ValueKind::kSwitch;
      entry.value = **node.as_boolean() ? "true" : "false";
    } else if (node.is_table()) {
      return At(file, name.source(),
                absl::StrCat("there are no sections, such as ", entry.key, ", in this file"));
    } else {
      return At(
          file, name.source(),
          absl::StrCat(entry.key, " must be a text in quotes, a whole number, true or false"));
    }
    entries.push_back(std::move(entry));
  }
  // toml++ keeps keys in the order of the alphabet.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.line < b.line; });
  return entries;
}

std::string FormatValue(ValueKind kind, absl::string_view value) {
  if (kind != ValueKind::kText) return std::string(value);
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&text, "\\", absl::string_view(&c, 1));
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&text, "\\u%04X", static_cast<unsigned char>(c));
    } else {
      text.push_back(c);
    }
  }
  return text + "\"";
}

}  // namespace tombola::config
