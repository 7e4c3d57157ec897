// Lays records down in blocks that are drawn for them.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_BLOCK_SCATTER_H_
#define TOMBOLA_SHUFFLER_PERMUTE_BLOCK_SCATTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "shuffler/permute/page_buffer.h"

namespace tombola::shuffler {

// The blocks of n records in `parts` parts: first drawn and counted, so that every block's place is
// known before the first record moves and no room is left over. Parts may be drawn, and then laid
// down, by one thread each. The steps, in this order: Draw of every part, Place, Lay of every part.
class BlockScatter {
 public:
  // blocks: a power of two, at most 2^16. parts: at least 1.
  BlockScatter(size_t n, size_t parts, size_t blocks);

  // The places of part p's records are [begin(p), begin(p + 1)).
  size_t begin(size_t part) const { return n_ / parts_ * part + std::min(part, n_ % parts_); }

  // Draws a block for each record of the part: 16 bits each, exactly uniform.
  void Draw(size_t part, RandomSource& random);

  // Decides where everything goes: block by block, in a block part by part.
  void Place();

  // Where block b begins, counted in records; start(blocks) is n. After Place.
  size_t start(size_t block) const { return starts_[block]; }

  // Moves the part's records from their places in `from` to their blocks in `to`.
  void Lay(size_t part, absl::Span<const uint8_t> from, absl::Span<uint8_t> to,
           size_t record_bytes);

 private:
  absl::Span<const uint16_t> DrawnFor(size_t part) const;
  // Room for one number a block, which the part counts with and then lays down by.
  absl::Span<size_t> Cursors(size_t part) {
    return absl::MakeSpan(cursors_).subspan(part * blocks_, blocks_);
  }

  const size_t n_;
  const size_t parts_;
  const size_t blocks_;
  PageBuffer drawn_;  // 16 bits a record
  std::vector<size_t> cursors_;
  std::vector<size_t> starts_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_BLOCK_SCATTER_H_
