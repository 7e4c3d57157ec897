#include "cli/command/text_lines.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {

absl::StatusOr<std::vector<std::string>> ReadLines(absl::string_view flag,
                                                   const std::string& path) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path);
  if (!text.ok()) {
    return absl::Status(text.status().code(), absl::StrCat(flag, ": ", text.status().message()));
  }
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    lines.emplace_back(line);
  }
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace tombola::cli
