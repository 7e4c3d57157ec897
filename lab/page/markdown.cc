#include "lab/page/markdown.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"

namespace tombola::lab {
namespace {

constexpr size_t kColumns = 100;

size_t Characters(absl::string_view utf8) {
  return std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string RowOf(absl::Span<const std::string> cells) {
  return absl::StrCat("| ", absl::StrJoin(cells, " | "), " |\n");
}

}  // namespace

std::string Wrapped(absl::string_view text, absl::string_view indent) {
  std::string out;
  size_t column = 0;
  for (const absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    const size_t length = Characters(word);
    if (column > 0 && column + 1 + length > kColumns) {
      absl::StrAppend(&out, "\n", indent);
      column = indent.size();
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    absl::StrAppend(&out, word);
    column += length;
  }
  return out + "\n";
}

std::string TableOf(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows) {
  std::string out = RowOf(header);
  absl::StrAppend(&out, "|", absl::StrJoin(std::vector<std::string>(header.size(), "---"), "|"),
                  "|\n");
  for (const std::vector<std::string>& row : rows) {
    TOMBOLA_CHECK(row.size() == header.size());
    out += RowOf(row);
  }
  return out;
}

std::string ShortNumber(double number) {
  if (std::isnan(number)) return "–";
  const double size = std::fabs(number);
  if (size >= 999.5 && size < 1e5) return absl::StrFormat("%.0f", number);
  if ((size >= 0.01 && size < 1000) || size == 0) return absl::StrFormat("%.3g", number);
  return absl::StrFormat("%.1e", number);
}

std::string Scientific(double number) {
  return std::isnan(number) ? "–" : absl::StrFormat("%.2e", number);
}

std::string Grouped(int64_t number) {
  const std::string digits = absl::StrCat(number);
  std::string out;
  for (size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) out += ',';
    out += digits[at];
  }
  return out;
}

std::string Span(absl::Span<const double> numbers) {
  if (numbers.empty()) return "–";
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const std::string from = ShortNumber(*low), to = ShortNumber(*high);
  return from == to ? from : absl::StrCat(from, " to ", to);
}

}  // namespace tombola::lab
