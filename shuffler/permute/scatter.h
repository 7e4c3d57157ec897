// The shuffle of a batch that does not fit into memory.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_SCATTER_H_
#define TOMBOLA_SHUFFLER_PERMUTE_SCATTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "shuffler/permute/memory_permute.h"
#include "shuffler/permute/permute.h"

namespace tombola::shuffler {

// Where scattered records wait: files in the store, memory in tests.
class ScatterBlocks {
 public:
  virtual ~ScatterBlocks() = default;
  // How many blocks there are, at least 1.
  virtual size_t size() const = 0;
  virtual absl::Status Append(size_t block, absl::Span<const uint8_t> record) = 0;
  // Everything appended to `block`, to be permuted in place; valid until the next call.
  virtual absl::StatusOr<absl::Span<uint8_t>> Load(size_t block) = 0;
};

// Puts each record into a uniformly drawn block, permutes within each block and emits the blocks
// one after the other: uniform over all n!. For neither the block of a record nor its place there
// depends on where it came in, so relabelling the input leaves the law of the output unchanged, and
// only the uniform law has that symmetry. One pass in, one pass out, one block in memory at a time,
// twice at most.
//
// Not thread-safe. `blocks` and `random` must outlive it.
class Scatter {
 public:
  Scatter(size_t record_bytes, ScatterBlocks& blocks, RandomSource& random);
  // Permutes a block on as many threads as there are sources, if the limit has room for it twice
  // (memory_permute.h). Scatters with the first source.
  Scatter(size_t record_bytes, ScatterBlocks& blocks, absl::Span<RandomSource* const> sources,
          size_t memory_limit_bytes);

  // `records`: whole records, back to back.
  absl::Status Add(absl::Span<const uint8_t> records);

  // Hands the permuted blocks to `emit`, in order. Call once, after the last Add.
  using Emit = std::function<absl::Status(absl::Span<const uint8_t> records)>;
  absl::Status Finish(const Emit& emit);

  // Draws and moves so far, scattering included: at most 2 n of each.
  const PermuteCost& cost() const { return cost_; }

 private:
  const size_t record_bytes_;
  ScatterBlocks& blocks_;
  RandomSource& random_;
  MemoryPermute permute_;
  PermuteCost cost_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_SCATTER_H_
