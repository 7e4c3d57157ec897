// The inner loop of decoding strings, compiled for several instruction sets: for each key and each
// hash function, what lies in the key's cell.
#ifndef TOMBOLA_COLLECTOR_DECODE_GATHER_KERNEL_H_
#define TOMBOLA_COLLECTOR_DECODE_GATHER_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/strings/public_functions.h"

namespace tombola::collector {

// A row of cells for each function, packed: cell b of a row is the 2^cell_bits_log bits from bit
// b * 2^cell_bits_log on, the lowest of the first word being bit 0. Not owned.
struct CellRows {
  const uint32_t* words = nullptr;
  size_t words_per_row = 0;
  int range_bits = 0;     // 6 to 24
  int cell_bits_log = 0;  // 0 to 3

  const uint32_t* Row(size_t function) const { return words + function * words_per_row; }
};

// Lanes are rounded up to as many: buffers have a size that is a multiple of it.
inline constexpr size_t kGatherLanes = 16;

// For functions [begin, end) of `functions` and each i adds to sums[i] what is in the cell of key
// first_key + i. sums.size() is a multiple of kGatherLanes. The outcome is the same with any
// instruction set. Thread-safe, as is the other.
void SumConsecutive(const CellRows& rows, absl::Span<const strings::PublicFunction> functions,
                    size_t begin, size_t end, uint64_t first_key, absl::Span<uint32_t> sums);

// The same for the keys first_key + offsets[i]; as many offsets as sums.
void SumListed(const CellRows& rows, absl::Span<const strings::PublicFunction> functions,
               size_t begin, size_t end, uint64_t first_key, absl::Span<const uint32_t> offsets,
               absl::Span<uint32_t> sums);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_GATHER_KERNEL_H_
