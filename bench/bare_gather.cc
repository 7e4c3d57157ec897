#include "bench/bare_gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/bare_gather.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tombola::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

int64_t Count(const uint32_t* bitmap, int bits_log, uint64_t step, size_t count) {
  int64_t set = 0;
  uint64_t at = 0;
  for (size_t i = 0; i < count; ++i, at += step) {
    const uint64_t bit = at >> (64 - bits_log);
    set += bitmap[bit >> 5] >> (bit & 31) & 1;
  }
  return set;
}

#else

using D = hn::CappedTag<uint32_t, 16>;
using D64 = hn::Repartition<uint64_t, D>;

// The upper halves of two vectors of positions make one vector of bits to look at.
HWY_INLINE hn::Vec<D> Looked(const uint32_t* HWY_RESTRICT bitmap, int bits_log, hn::Vec<D64> even,
                             hn::Vec<D64> odd) {
  const D d;
  const hn::RebindToSigned<D> ds;
  const auto at = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  const auto word =
      hn::GatherIndex(d, bitmap, hn::BitCast(ds, hn::ShiftRightSame(at, 37 - bits_log)));
  const auto bit = hn::And(hn::ShiftRightSame(at, 32 - bits_log), hn::Set(d, 31u));
  return hn::And(hn::Shr(word, bit), hn::Set(d, 1u));
}

// Two sums, so that none waits for the other.
int64_t Count(const uint32_t* HWY_RESTRICT bitmap, int bits_log, uint64_t step, size_t count) {
  const D d;
  const D64 d64;
  const size_t lanes = hn::Lanes(d);
  const auto stride = hn::Set(d64, 2 * step * lanes);
  auto even0 = hn::Mul(hn::Iota(d64, 0), hn::Set(d64, 2 * step));
  auto odd0 = hn::Add(even0, hn::Set(d64, step));
  auto even1 = hn::Add(even0, hn::Set(d64, step * lanes));
  auto odd1 = hn::Add(odd0, hn::Set(d64, step * lanes));
  auto set0 = hn::Zero(d);
  auto set1 = hn::Zero(d);
  for (size_t i = 0; i < count; i += 2 * lanes) {
    set0 = hn::Add(set0, Looked(bitmap, bits_log, even0, odd0));
    set1 = hn::Add(set1, Looked(bitmap, bits_log, even1, odd1));
    even0 = hn::Add(even0, stride);
    odd0 = hn::Add(odd0, stride);
    even1 = hn::Add(even1, stride);
    odd1 = hn::Add(odd1, stride);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(set0, set1)));
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace tombola::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tombola::bench {

HWY_EXPORT(Count);

int64_t CountGathered(absl::Span<const uint32_t> bitmap, int bits_log, uint64_t step,
                      size_t count) {
  return HWY_DYNAMIC_DISPATCH(Count)(bitmap.data(), bits_log, step, count);
}

}  // namespace tombola::bench
#endif  // HWY_ONCE
