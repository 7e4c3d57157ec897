// What looking into a bitmap costs at least: the baseline of decoding strings.
#ifndef TOMBOLA_BENCH_BARE_GATHER_H_
#define TOMBOLA_BENCH_BARE_GATHER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tombola::bench {

// How many bits are set among bits (step * i) >> (64 - bits_log), i < count, of a bitmap of
// 2^bits_log bits: one addition, one gather and one shift for each, by Highway, and nothing else.
// count is a multiple of 32; 5 <= bits_log <= 32.
int64_t CountGathered(absl::Span<const uint32_t> bitmap, int bits_log, uint64_t step, size_t count);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_BARE_GATHER_H_
