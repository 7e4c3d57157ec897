#include "collector/aggregate/sparse_cells.h"

#include <algorithm>
#include <limits>

namespace tombola::collector {
namespace {

constexpr int kMostBytes = 9;  // of a number below 2^63

void PutPacked(uint64_t number, std::string& out) {
  for (; number >= 128; number >>= 7) out.push_back(static_cast<char>(number | 128));
  out.push_back(static_cast<char>(number));
}

// 0 is none of the numbers that are packed.
uint64_t TakePacked(Decoder& decoder) {
  uint64_t number = 0;
  for (int i = 0; i < kMostBytes; ++i) {
    const auto byte = decoder.Number<uint8_t>();
    number |= static_cast<uint64_t>(byte & 127) << (7 * i);
    if (byte < 128) return number;
  }
  return 0;
}

}  // namespace

SparseCells Sum(absl::Span<const CellCount> a, absl::Span<const CellCount> b) {
  SparseCells sum;
  sum.reserve(std::max(a.size(), b.size()));
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].cell < b[j].cell)) {
      sum.push_back(a[i++]);
    } else if (i == a.size() || b[j].cell < a[i].cell) {
      sum.push_back(b[j++]);
    } else {
      sum.push_back({.cell = a[i].cell, .count = a[i].count + b[j].count});
      ++i;
      ++j;
    }
  }
  return sum;
}

void PutSparse(const SparseCells& cells, std::string& out) {
  uint64_t next = 0;
  for (const CellCount& cell : cells) {
    PutPacked(cell.cell - next + 1, out);
    PutPacked(static_cast<uint64_t>(cell.count), out);
    next = cell.cell + 1;
  }
}

SparseCells TakeSparse(size_t count, Decoder& decoder) {
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  SparseCells cells;
  // A cell has two bytes at least, so that a damaged number asks for no more memory than there are
  // bytes.
  const auto fail = [&] {
    decoder.Take(decoder.left() + 1);
    return SparseCells();
  };
  if (count > decoder.left() / 2) return fail();
  cells.reserve(count);
  uint64_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t distance = TakePacked(decoder);
    const uint64_t held = TakePacked(decoder);
    if (distance == 0 || held == 0 || distance > kMost - next) return fail();
    cells.push_back({.cell = next + distance - 1, .count = static_cast<int64_t>(held)});
    next += distance;
  }
  return cells;
}

}  // namespace tombola::collector
