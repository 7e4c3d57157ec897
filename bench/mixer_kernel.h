// What decoding local hashing costs with a hash function that has no structure: the baseline of
// the affine family's kernel.
#ifndef TOMBOLA_BENCH_MIXER_KERNEL_H_
#define TOMBOLA_BENCH_MIXER_KERNEL_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tombola::bench {

struct MixedReport {
  uint32_t seed = 0;
  uint32_t bucket_start = 0;  // the bucket, in the leading bits
};

// For each i adds to counts[i] the number of reports whose bucket that of i is: the leading bits,
// those above `limit` - 1, of murmur3's finalizer of i xor the seed. By Highway, in the same tiles
// as the affine kernel: four reports pass over the counters together. reports.size() is a multiple
// of 4, counts.size() of 16.
void CountMixed(absl::Span<const MixedReport> reports, uint32_t limit, absl::Span<uint32_t> counts);

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_MIXER_KERNEL_H_
