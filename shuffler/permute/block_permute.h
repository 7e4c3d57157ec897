// The shuffle in memory on several threads: block by block, so that it runs in the caches.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_BLOCK_PERMUTE_H_
#define TOMBOLA_SHUFFLER_PERMUTE_BLOCK_PERMUTE_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "shuffler/permute/permute.h"

namespace tombola::shuffler {

// How the records are divided. The defaults are measured; the result's law does not depend on them.
struct BlockOptions {
  // What a block is expected to take: it is permuted in a core's own cache.
  size_t block_bytes = size_t{256} << 10;
  // At most 2^16. Each takes 64 bytes of that cache while records are scattered.
  size_t most_blocks = size_t{1} << 12;
  // Fewer bytes than this are copied and permuted by one thread, with the first source.
  size_t least_bytes = size_t{4} << 20;
  // At most this many threads run at once; by default one a source. The outcome is the same.
  size_t most_threads = std::numeric_limits<size_t>::max();
};

// Memory that PermuteInto takes besides its two buffers, for n records: about 2 bytes a record.
size_t BlockPermuteScratch(size_t n, size_t threads);

// Writes the records of `from`, in an order drawn uniformly from all n!, to `to`. Both are of one
// size and do not overlap; records lie as in permute.h. One thread a source, the caller's among
// them; at least one source. The outcome is a function of the records, the blocks and the sources'
// bits: threads do not race for draws. `to` should begin at a multiple of 64 (see PageBuffer).
//
// Guarantees an exactly uniform permutation if the sources' bits are uniform and independent. The
// records are divided into as many parts as there are sources, by their places. For each record of
// a part one of B blocks, B a power of two, is drawn uniformly and independently of all else; a
// block's records are laid down part by part, in the order in which they came; then each block's
// records are permuted uniformly, independently of all else. So the blocks of the records are
// independent and uniform: which records share block b depends on no record's place, only on the
// draws. Given the sizes of the blocks every assignment of records to blocks that has them is
// equally likely, and given the assignment every order within each block is, whatever order they
// were laid down in. Hence, given the sizes, each of the n! outcomes has the same probability: for
// each there is exactly one assignment (the first size_1 places are block 1's, and so on) and one
// order in each block. What has the same law for all sizes has it without them.
//
// Does not hide the memory it touches from somebody who watches the machine. O(n): two draws and
// two moves a record.
PermuteCost PermuteInto(absl::Span<const uint8_t> from, absl::Span<uint8_t> to, size_t record_bytes,
                        absl::Span<RandomSource* const> sources, const BlockOptions& options = {});

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_BLOCK_PERMUTE_H_
