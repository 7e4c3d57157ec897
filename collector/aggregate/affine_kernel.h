// The inner loop of the affine family's decoding, compiled for several instruction sets.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_KERNEL_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_KERNEL_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tombola::collector {

// start + step * v modulo 2^(bits of Word), for a value v.
template <typename Word>
struct AffineLine {
  Word start = 0;
  Word step = 0;
};

// The instruction sets that the loop is compiled for.
enum class Vectors { kPortable, kAvx2, kAvx512 };

// Whether this processor, and the build, can run them.
bool Supported(Vectors vectors);

// The widest supported ones.
Vectors WidestVectors();

// For each i adds to counts[i] the number of lines that are below `limit` at v = first + i.
// Supported(vectors).
template <typename Word>
void CountBelow(Vectors vectors, absl::Span<const AffineLine<Word>> lines, Word limit,
                uint64_t first, absl::Span<Word> counts);

extern template void CountBelow<uint32_t>(Vectors, absl::Span<const AffineLine<uint32_t>>, uint32_t,
                                          uint64_t, absl::Span<uint32_t>);
extern template void CountBelow<uint64_t>(Vectors, absl::Span<const AffineLine<uint64_t>>, uint64_t,
                                          uint64_t, absl::Span<uint64_t>);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_KERNEL_H_
