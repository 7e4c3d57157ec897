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

// For each i adds to counts[i] the number of lines that are below `limit` at v = first + i, with
// the widest vectors that the processor has; the outcome is the same with any. `counts` must not
// overlap `lines`. Thread-safe.
template <typename Word>
void CountBelow(absl::Span<const AffineLine<Word>> lines, Word limit, uint64_t first,
                absl::Span<Word> counts);

template <>
void CountBelow<uint32_t>(absl::Span<const AffineLine<uint32_t>> lines, uint32_t limit,
                          uint64_t first, absl::Span<uint32_t> counts);
template <>
void CountBelow<uint64_t>(absl::Span<const AffineLine<uint64_t>> lines, uint64_t limit,
                          uint64_t first, absl::Span<uint64_t> counts);

// The sets of instructions that it is compiled for, as Highway's bits: for the test that runs all
// of them.
int64_t CompiledTargets();

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_KERNEL_H_
