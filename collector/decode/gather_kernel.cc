#include "collector/decode/gather_kernel.h"

#include "common/base/check.h"

// Highway includes this file again for each set of instructions.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collector/decode/gather_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tombola::collector {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

uint32_t InCell(const CellRows& rows, const strings::PublicFunction* functions, size_t j,
                uint64_t key) {
  const uint64_t bucket = functions[j].Bucket(key, rows.range_bits);
  const uint64_t bit = bucket << rows.cell_bits_log;
  return rows.Row(j)[bit >> 5] >> (bit & 31) & ((1u << (1u << rows.cell_bits_log)) - 1);
}

void Consecutive(const CellRows& rows, const strings::PublicFunction* functions, size_t begin,
                 size_t end, uint64_t first_key, uint32_t* HWY_RESTRICT sums, size_t count) {
  for (size_t j = begin; j < end; ++j) {
    for (size_t i = 0; i < count; ++i) sums[i] += InCell(rows, functions, j, first_key + i);
  }
}

void Listed(const CellRows& rows, const strings::PublicFunction* functions, size_t begin,
            size_t end, uint64_t first_key, const uint32_t* HWY_RESTRICT offsets,
            uint32_t* HWY_RESTRICT sums, size_t count) {
  for (size_t j = begin; j < end; ++j) {
    for (size_t i = 0; i < count; ++i) {
      sums[i] += InCell(rows, functions, j, first_key + offsets[i]);
    }
  }
}

#else

// No more lanes than a buffer's size is a multiple of.
using D32 = hn::CappedTag<uint32_t, kGatherLanes>;
using D64 = hn::Repartition<uint64_t, D32>;
using V32 = hn::Vec<D32>;
using V64 = hn::Vec<D64>;

// How a cell is found from the upper halves of lines.
struct Cells {
  explicit Cells(const CellRows& rows)
      : to_bucket(32 - rows.range_bits),
        to_word(to_bucket + 5 - rows.cell_bits_log),
        to_bit(rows.cell_bits_log),
        mask((1u << (1u << rows.cell_bits_log)) - 1) {}
  int to_bucket;
  int to_word;
  int to_bit;
  uint32_t mask;
};

// Lines of consecutive keys are kept in two vectors of 64 bits, of the even and of the odd ones:
// their upper halves then fall into the order of keys by one shift and one blend.
HWY_INLINE V32 UpperHalves(V64 even, V64 odd) {
  const D32 d;
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}

HWY_INLINE V32 Gathered(const uint32_t* HWY_RESTRICT row, const Cells& cells, V32 upper) {
  const D32 d;
  const hn::RebindToSigned<D32> ds;
  const V32 word =
      hn::GatherIndex(d, row, hn::BitCast(ds, hn::ShiftRightSame(upper, cells.to_word)));
  const V32 bit = hn::ShiftLeftSame(hn::ShiftRightSame(upper, cells.to_bucket), cells.to_bit);
  return hn::And(hn::Shr(word, hn::And(bit, hn::Set(d, 31u))), hn::Set(d, cells.mask));
}

// The line of every other key from `first` on, and how far it goes in the lanes of one vector.
HWY_INLINE V64 EveryOther(const strings::PublicFunction& function, uint64_t first) {
  const D64 d;
  return hn::Add(hn::Set(d, function.Line(first)),
                 hn::Mul(hn::Iota(d, 0), hn::Set(d, 2 * function.multiplier)));
}
HWY_INLINE V64 StrideOf(const strings::PublicFunction& function) {
  const D64 d;
  return hn::Set(d, function.multiplier * (2 * hn::Lanes(d)));
}

// Two functions pass over the sums together, so that storing these costs little.
void Consecutive(const CellRows& rows, const strings::PublicFunction* functions, size_t begin,
                 size_t end, uint64_t first_key, uint32_t* HWY_RESTRICT sums, size_t count) {
  const D32 d;
  const Cells cells(rows);
  size_t j = begin;
  for (; j + 2 <= end; j += 2) {
    V64 even0 = EveryOther(functions[j], first_key);
    V64 odd0 = EveryOther(functions[j], first_key + 1);
    V64 even1 = EveryOther(functions[j + 1], first_key);
    V64 odd1 = EveryOther(functions[j + 1], first_key + 1);
    const V64 stride0 = StrideOf(functions[j]);
    const V64 stride1 = StrideOf(functions[j + 1]);
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const V32 both = hn::Add(Gathered(rows.Row(j), cells, UpperHalves(even0, odd0)),
                               Gathered(rows.Row(j + 1), cells, UpperHalves(even1, odd1)));
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), both), d, sums + i);
      even0 = hn::Add(even0, stride0);
      odd0 = hn::Add(odd0, stride0);
      even1 = hn::Add(even1, stride1);
      odd1 = hn::Add(odd1, stride1);
    }
  }
  if (j == end) return;
  V64 even = EveryOther(functions[j], first_key);
  V64 odd = EveryOther(functions[j], first_key + 1);
  const V64 stride = StrideOf(functions[j]);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V32 one = Gathered(rows.Row(j), cells, UpperHalves(even, odd));
    hn::StoreU(hn::Add(hn::LoadU(d, sums + i), one), d, sums + i);
    even = hn::Add(even, stride);
    odd = hn::Add(odd, stride);
  }
}

// start + multiplier * offset for the offsets in the even lanes, the multiplier in halves.
HWY_INLINE V64 LineAt(V64 start, V32 low, V32 high, V32 offset) {
  return hn::Add(hn::Add(start, hn::MulEven(offset, low)),
                 hn::ShiftLeft<32>(hn::MulEven(offset, high)));
}

void Listed(const CellRows& rows, const strings::PublicFunction* functions, size_t begin,
            size_t end, uint64_t first_key, const uint32_t* HWY_RESTRICT offsets,
            uint32_t* HWY_RESTRICT sums, size_t count) {
  const D32 d;
  const D64 d64;
  const Cells cells(rows);
  for (size_t j = begin; j < end; ++j) {
    const uint64_t multiplier = functions[j].multiplier;
    const V64 start = hn::Set(d64, functions[j].Line(first_key));
    const V32 low = hn::Set(d, static_cast<uint32_t>(multiplier));
    const V32 high = hn::Set(d, static_cast<uint32_t>(multiplier >> 32));
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const V32 offset = hn::LoadU(d, offsets + i);
      const V32 odd = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, offset)));
      const V32 one =
          Gathered(rows.Row(j), cells,
                   UpperHalves(LineAt(start, low, high, offset), LineAt(start, low, high, odd)));
      hn::StoreU(hn::Add(hn::LoadU(d, sums + i), one), d, sums + i);
    }
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace tombola::collector
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tombola::collector {

HWY_EXPORT(Consecutive);
HWY_EXPORT(Listed);

void SumConsecutive(const CellRows& rows, absl::Span<const strings::PublicFunction> functions,
                    size_t begin, size_t end, uint64_t first_key, absl::Span<uint32_t> sums) {
  TOMBOLA_CHECK(end <= functions.size() && sums.size() % kGatherLanes == 0);
  HWY_DYNAMIC_DISPATCH(Consecutive)
  (rows, functions.data(), begin, end, first_key, sums.data(), sums.size());
}

void SumListed(const CellRows& rows, absl::Span<const strings::PublicFunction> functions,
               size_t begin, size_t end, uint64_t first_key, absl::Span<const uint32_t> offsets,
               absl::Span<uint32_t> sums) {
  TOMBOLA_CHECK(end <= functions.size() && sums.size() % kGatherLanes == 0);
  TOMBOLA_CHECK(offsets.size() == sums.size());
  HWY_DYNAMIC_DISPATCH(Listed)
  (rows, functions.data(), begin, end, first_key, offsets.data(), sums.data(), sums.size());
}

}  // namespace tombola::collector
#endif  // HWY_ONCE
