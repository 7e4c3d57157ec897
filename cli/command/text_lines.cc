#include "cli/command/text_lines.h"

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {

absl::StatusOr<std::vector<std::string>> ReadLines(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    lines.emplace_back(line);
  }
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace tombola::cli
