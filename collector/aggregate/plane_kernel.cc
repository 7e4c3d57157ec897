#include "collector/aggregate/plane_kernel.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

// Highway includes this file again for each set of instructions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collector/aggregate/plane_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tombola::collector {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Columns of two vectors of lines in some successive rows, and which of them are in the domain. A
// line rarely meets the domain, and nobody can foretell where: so everything is written down
// without a branch first, and then the bits that are set are looked for.
template <typename Word>
struct Crossings {
  static constexpr size_t kRows = 32;
  static constexpr size_t kMaxLanes = hn::MaxLanes(hn::ScalableTag<Word>());
  // Columns, and bits, from one vector to the next: masks are written in whole bytes.
  static constexpr size_t kStride = kMaxLanes < 8 ? 8 : kMaxLanes;
  static constexpr size_t kRowStride = 2 * kStride;
  static constexpr size_t kMaskWords = kRows * kRowStride / 64;

  HWY_ALIGN Word columns[kRows * kRowStride];
  HWY_ALIGN uint64_t masks[kMaskWords + 1];  // one to spare, as Highway wants to write 8 bytes
  uint16_t hits[kRows * kRowStride + 2];     // where bits are set
};

// The column in the next row: c - slope, plus the order if that is negative. All are below half of
// the lane's range, so a negative one has wrapped around and exceeds its sum with the order, which
// wraps back.
template <class V>
HWY_INLINE V NextRow(V column, V slope, V order) {
  const V next = hn::Sub(column, slope);
  return hn::Min(next, hn::Add(next, order));
}

// Where columns are below the end of the row; as signed numbers, which every instruction set
// compares.
template <class D, class V, class VS>
HWY_INLINE void WriteCrossing(D d, V column, VS end, hn::TFromD<D>* columns, uint8_t* mask) {
  const hn::RebindToSigned<D> ds;
  hn::StoreU(column, d, columns);
  hn::StoreMaskBits(ds, hn::Lt(hn::BitCast(ds, column), end), mask);
}

// Finds the bits that are set; returns how many. Two of each word are written whether there are any
// or not, because mostly there are not more.
template <typename Word>
HWY_INLINE size_t FindHits(Crossings<Word>& crossings, size_t rows) {
  uint16_t* hit = crossings.hits;
  const size_t words = (rows * Crossings<Word>::kRowStride + 63) / 64;
  for (size_t word = 0; word < words; ++word) {
    uint64_t bits = crossings.masks[word];
    const size_t count = static_cast<size_t>(std::popcount(bits));
    for (size_t i = 0; i < 2 || i < count; ++i) {
      hit[i] = static_cast<uint16_t>(64 * word + static_cast<size_t>(std::countr_zero(bits)));
      bits &= bits - 1;
    }
    hit += count;
  }
  return static_cast<size_t>(hit - crossings.hits);
}

template <typename Word>
HWY_INLINE void CountLines(const PlaneShape& shape, const PlaneLines& lines, int64_t* counts,
                           size_t count) {
  using Crossed = Crossings<Word>;
  const hn::ScalableTag<Word> d;
  const hn::RebindToSigned<decltype(d)> ds;
  const size_t lanes = hn::Lanes(d);
  Word slopes[PlaneLines::kMost];
  Word columns[PlaneLines::kMost];
  for (size_t i = 0; i < lines.size; ++i) {
    slopes[i] = static_cast<Word>(lines.slopes[i]);
    columns[i] = static_cast<Word>(lines.buckets[i]);
  }
  // Lines that stay in a column beyond every row make up whole vectors.
  for (size_t i = lines.size; i % (2 * lanes) != 0; ++i) {
    slopes[i] = 0;
    columns[i] = std::numeric_limits<Word>::max() / 2;
  }
  const auto order = hn::Set(d, static_cast<Word>(shape.order));
  const auto end = hn::Set(ds, static_cast<hwy::MakeSigned<Word>>(shape.side));
  Crossed crossed;
  auto* const masks = reinterpret_cast<uint8_t*>(crossed.masks);
  for (size_t i = 0; i < lines.size; i += 2 * lanes) {
    auto column0 = hn::LoadU(d, columns + i);
    auto column1 = hn::LoadU(d, columns + i + lanes);
    const auto slope0 = hn::LoadU(d, slopes + i);
    const auto slope1 = hn::LoadU(d, slopes + i + lanes);
    for (size_t first = 0; first < shape.rows; first += Crossed::kRows) {
      const size_t rows = std::min<size_t>(Crossed::kRows, shape.rows - first);
      std::memset(crossed.masks, 0, sizeof(crossed.masks));
      for (size_t row = 0; row < rows; ++row) {
        const size_t at = row * Crossed::kRowStride;
        WriteCrossing(d, column0, end, crossed.columns + at, masks + at / 8);
        WriteCrossing(d, column1, end, crossed.columns + at + Crossed::kStride,
                      masks + (at + Crossed::kStride) / 8);
        column0 = NextRow(column0, slope0, order);
        column1 = NextRow(column1, slope1, order);
      }
      const size_t hits = FindHits(crossed, rows);
      for (size_t h = 0; h < hits; ++h) {
        const size_t at = crossed.hits[h];
        const size_t row = first + at / Crossed::kRowStride;
        const size_t value = row * shape.side + crossed.columns[at];
        if (value < count) ++counts[value];  // the last row may not be full
      }
    }
  }
}

// In lanes of 16 bits where columns fit, of 32 bits where not.
void CountAll(const PlaneShape& shape, const PlaneLines& lines, int64_t* counts, size_t count) {
  if (shape.order < (1u << 15)) {
    CountLines<uint16_t>(shape, lines, counts, count);
  } else {
    CountLines<uint32_t>(shape, lines, counts, count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tombola::collector
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tombola::collector {

HWY_EXPORT(CountAll);

void CountPoints(const PlaneShape& shape, const PlaneLines& lines, absl::Span<int64_t> counts) {
  HWY_DYNAMIC_DISPATCH(CountAll)(shape, lines, counts.data(), counts.size());
}

}  // namespace tombola::collector
#endif  // HWY_ONCE
