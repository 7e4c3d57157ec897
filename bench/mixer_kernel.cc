#include "bench/mixer_kernel.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/mixer_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tombola::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<uint32_t>;
using Signed = hn::RebindToSigned<Words>;

constexpr uint32_t kHalf = uint32_t{1} << 31;

HWY_INLINE hn::Vec<Words> Mix(hn::Vec<Words> word) {
  const Words d;
  word = hn::Xor(word, hn::ShiftRight<16>(word));
  word = hn::Mul(word, hn::Set(d, 0x85ebca6b));
  word = hn::Xor(word, hn::ShiftRight<13>(word));
  word = hn::Mul(word, hn::Set(d, 0xc2b2ae35));
  return hn::Xor(word, hn::ShiftRight<16>(word));
}

// -1 where the value's bucket is the report's. Half the lane's range is in `start`, so that the
// comparison is a signed one.
HWY_INLINE hn::Vec<Signed> Supports(hn::Vec<Words> value, hn::Vec<Words> seed, hn::Vec<Words> start,
                                    hn::Vec<Signed> bound) {
  const Signed d;
  const auto offset = hn::BitCast(d, hn::Sub(Mix(hn::Xor(value, seed)), start));
  return hn::VecFromMask(d, hn::Lt(offset, bound));
}

void CountAll(const MixedReport* HWY_RESTRICT reports, size_t report_count, uint32_t limit,
              uint32_t* HWY_RESTRICT counts, size_t count) {
  const Words d;
  const Signed ds;
  const auto bound = hn::Set(ds, static_cast<int32_t>(limit ^ kHalf));
  const auto lanes = hn::Set(d, static_cast<uint32_t>(hn::Lanes(d)));
  for (const MixedReport* r = reports; r != reports + report_count; r += 4) {
    const auto seed0 = hn::Set(d, r[0].seed);
    const auto seed1 = hn::Set(d, r[1].seed);
    const auto seed2 = hn::Set(d, r[2].seed);
    const auto seed3 = hn::Set(d, r[3].seed);
    const auto start0 = hn::Set(d, r[0].bucket_start + kHalf);
    const auto start1 = hn::Set(d, r[1].bucket_start + kHalf);
    const auto start2 = hn::Set(d, r[2].bucket_start + kHalf);
    const auto start3 = hn::Set(d, r[3].bucket_start + kHalf);
    auto value = hn::Iota(d, 0);
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      auto* const place = reinterpret_cast<int32_t*>(counts + i);
      const auto first =
          hn::Add(Supports(value, seed0, start0, bound), Supports(value, seed1, start1, bound));
      const auto second =
          hn::Add(Supports(value, seed2, start2, bound), Supports(value, seed3, start3, bound));
      hn::StoreU(hn::Sub(hn::LoadU(ds, place), hn::Add(first, second)), ds, place);
      value = hn::Add(value, lanes);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tombola::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tombola::bench {

HWY_EXPORT(CountAll);

void CountMixed(absl::Span<const MixedReport> reports, uint32_t limit,
                absl::Span<uint32_t> counts) {
  HWY_DYNAMIC_DISPATCH(CountAll)
  (reports.data(), reports.size(), limit, counts.data(), counts.size());
}

}  // namespace tombola::bench
#endif  // HWY_ONCE
