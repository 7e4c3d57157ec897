#include "collector/aggregate/affine_kernel.h"

#include <algorithm>
#include <cstddef>
#include <limits>

// Highway includes this file again for each set of instructions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collector/aggregate/affine_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tombola::collector {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// So many lines pass over the counters together that loading and storing them costs little, and so
// few that all positions and steps stay in 16 registers.
constexpr size_t kLinesAtOnce = 4;

// Where a line stands at the lanes' values. Half the lane's range is added, so that comparisons are
// signed ones: SSE and AVX2 have no other.
template <typename Word>
constexpr Word kHalf = Word{1} << (std::numeric_limits<Word>::digits - 1);

template <class D, typename Word>
HWY_INLINE hn::Vec<D> PositionsAt(D d, const AffineLine<Word>& line, Word first) {
  using Signed = hn::TFromD<D>;
  const Word start = line.start + line.step * first + kHalf<Word>;
  return hn::Add(hn::Set(d, static_cast<Signed>(start)),
                 hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<Signed>(line.step))));
}

template <class D, typename Word>
HWY_INLINE hn::Vec<D> StrideOf(D d, const AffineLine<Word>& line) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(line.step * static_cast<Word>(hn::Lanes(d))));
}

// kLinesAtOnce lines over `count` counters, a multiple of the lanes: for each line and vector one
// comparison, one addition to the sum of masks (-1 where true) and one to the position.
template <typename Word>
HWY_INLINE void CountLines(const AffineLine<Word>* HWY_RESTRICT lines, Word limit, Word first,
                           Word* HWY_RESTRICT counts, size_t count) {
  using Signed = hwy::MakeSigned<Word>;
  const hn::ScalableTag<Signed> d;
  const auto bound = hn::Set(d, static_cast<Signed>(limit ^ kHalf<Word>));
  auto at0 = PositionsAt(d, lines[0], first);
  auto at1 = PositionsAt(d, lines[1], first);
  auto at2 = PositionsAt(d, lines[2], first);
  auto at3 = PositionsAt(d, lines[3], first);
  const auto stride0 = StrideOf(d, lines[0]);
  const auto stride1 = StrideOf(d, lines[1]);
  const auto stride2 = StrideOf(d, lines[2]);
  const auto stride3 = StrideOf(d, lines[3]);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    auto* const place = reinterpret_cast<Signed*>(counts + i);
    const auto below01 =
        hn::Add(hn::VecFromMask(d, hn::Lt(at0, bound)), hn::VecFromMask(d, hn::Lt(at1, bound)));
    const auto below23 =
        hn::Add(hn::VecFromMask(d, hn::Lt(at2, bound)), hn::VecFromMask(d, hn::Lt(at3, bound)));
    hn::StoreU(hn::Sub(hn::LoadU(d, place), hn::Add(below01, below23)), d, place);
    at0 = hn::Add(at0, stride0);
    at1 = hn::Add(at1, stride1);
    at2 = hn::Add(at2, stride2);
    at3 = hn::Add(at3, stride3);
  }
}

// The counters that fill no vector are counted in a vector of their own.
template <typename Word>
HWY_INLINE void CountGroup(const AffineLine<Word>* HWY_RESTRICT lines, Word limit, Word first,
                           Word* HWY_RESTRICT counts, size_t count) {
  const hn::ScalableTag<Word> d;
  const size_t whole = count - count % hn::Lanes(d);
  CountLines(lines, limit, first, counts, whole);
  if (whole == count) return;
  Word rest[hn::MaxLanes(d)] = {};
  CountLines(lines, limit, static_cast<Word>(first + whole), rest, hn::Lanes(d));
  for (size_t i = whole; i < count; ++i) counts[i] += rest[i - whole];
}

template <typename Word>
HWY_INLINE void CountAll(const AffineLine<Word>* HWY_RESTRICT lines, size_t line_count, Word limit,
                         Word first, Word* HWY_RESTRICT counts, size_t count) {
  const size_t whole = line_count - line_count % kLinesAtOnce;
  for (size_t line = 0; line < whole; line += kLinesAtOnce) {
    CountGroup(lines + line, limit, first, counts, count);
  }
  if (whole == line_count) return;
  // Made up to a group with lines that stay at the limit, never below it.
  AffineLine<Word> group[kLinesAtOnce];
  std::fill(group, group + kLinesAtOnce, AffineLine<Word>{.start = limit, .step = 0});
  std::copy(lines + whole, lines + line_count, group);
  CountGroup(group, limit, first, counts, count);
}

void CountAll32(const AffineLine<uint32_t>* lines, size_t line_count, uint32_t limit,
                uint32_t first, uint32_t* counts, size_t count) {
  CountAll(lines, line_count, limit, first, counts, count);
}

void CountAll64(const AffineLine<uint64_t>* lines, size_t line_count, uint64_t limit,
                uint64_t first, uint64_t* counts, size_t count) {
  CountAll(lines, line_count, limit, first, counts, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace tombola::collector
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tombola::collector {

HWY_EXPORT(CountAll32);
HWY_EXPORT(CountAll64);

template <>
void CountBelow<uint32_t>(absl::Span<const AffineLine<uint32_t>> lines, uint32_t limit,
                          uint64_t first, absl::Span<uint32_t> counts) {
  HWY_DYNAMIC_DISPATCH(CountAll32)
  (lines.data(), lines.size(), limit, static_cast<uint32_t>(first), counts.data(), counts.size());
}

template <>
void CountBelow<uint64_t>(absl::Span<const AffineLine<uint64_t>> lines, uint64_t limit,
                          uint64_t first, absl::Span<uint64_t> counts) {
  HWY_DYNAMIC_DISPATCH(CountAll64)
  (lines.data(), lines.size(), limit, first, counts.data(), counts.size());
}

int64_t CompiledTargets() { return HWY_TARGETS; }

}  // namespace tombola::collector
#endif  // HWY_ONCE
