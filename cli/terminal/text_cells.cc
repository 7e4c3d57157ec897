#include "cli/terminal/text_cells.h"

#include "common/text/utf8.h"

namespace tombola::cli {
namespace {

// What is shown of a character, and how many cells that takes.
struct Shown {
  absl::string_view bytes;
  size_t cells = 1;
};

Shown Next(absl::string_view& text) {
  static constexpr absl::string_view kReplacementBytes = "\xef\xbf\xbd";
  const Utf8Character next = TakeCharacter(text);
  if (!next.valid() || next.control()) return {kReplacementBytes, 1};
  return {next.bytes, next.cells()};
}

}  // namespace

size_t Cells(absl::string_view text) {
  size_t cells = 0;
  while (!text.empty()) cells += Next(text).cells;
  return cells;
}

std::string Cut(absl::string_view text, size_t cells) {
  const bool cut = Cells(text) > cells;
  if (cut && cells == 0) return "";
  const size_t room = cut ? cells - 1 : cells;
  std::string out;
  for (size_t used = 0; !text.empty();) {
    const Shown next = Next(text);
    used += next.cells;
    if (used > room) break;
    out.append(next.bytes.data(), next.bytes.size());
  }
  return cut ? out + "…" : out;
}

std::string Fit(absl::string_view text, size_t cells) {
  std::string fitted = Cut(text, cells);
  return fitted.append(cells - Cells(fitted), ' ');
}

}  // namespace tombola::cli
