#include "cli/text_cells.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tombola::cli {
namespace {

struct Range {
  uint32_t first, last;
};

// Unicode's general categories Mn, Me and Cf, by blocks; ascending.
constexpr Range kMarks[] = {
    {0x300, 0x36f},     {0x483, 0x489},    {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
    {0x6d6, 0x6dc},     {0x900, 0x902},    {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},
    {0xe31, 0xe31},     {0xe34, 0xe3a},    {0xe47, 0xe4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
    {0x200b, 0x200f},   {0x202a, 0x202e},  {0x2060, 0x2064}, {0x2066, 0x206f}, {0x20d0, 0x20f0},
    {0x302a, 0x302d},   {0x3099, 0x309a},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0xe0001, 0xe007f}, {0xe0100, 0xe01ef}};

// East_Asian_Width W and F (UAX 11), by blocks; ascending.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},
    {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6b},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18d08},
    {0x1b000, 0x1b2fb}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3e0, 0x1f3f0}, {0x1f3f8, 0x1f43e},
    {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567},
    {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6d5, 0x1f6d7}, {0x1f6eb, 0x1f6ec},
    {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

template <size_t N>
bool In(const Range (&ranges)[N], uint32_t point) {
  const auto* range = std::lower_bound(
      std::begin(ranges), std::end(ranges), point,
      [](const Range& candidate, uint32_t wanted) { return candidate.last < wanted; });
  return range != std::end(ranges) && range->first <= point;
}

// Takes one character off the front. Its bytes, and how many cells it takes.
struct Character {
  absl::string_view bytes;
  size_t cells = 1;
};

Character Next(absl::string_view& text) {
  static constexpr absl::string_view kReplacementBytes = "\xef\xbf\xbd";
  const auto lead = static_cast<uint8_t>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  uint32_t point = length <= 1 ? lead : lead & (0x7fu >> length);
  bool whole = length > 0 && length <= text.size();
  for (size_t i = 1; whole && i < length; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    whole = (next & 0xc0) == 0x80;
    point = point << 6 | (next & 0x3f);
  }
  const absl::string_view bytes = text.substr(0, whole ? length : 1);
  text.remove_prefix(bytes.size());
  if (!whole || point < 0x20 || (point >= 0x7f && point < 0xa0)) return {kReplacementBytes, 1};
  return {bytes, In(kMarks, point) ? size_t{0} : In(kWide, point) ? size_t{2} : size_t{1}};
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
    const Character next = Next(text);
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
