// The shuffle of what fits into memory, with as much of it as there is.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_MEMORY_PERMUTE_H_
#define TOMBOLA_SHUFFLER_PERMUTE_MEMORY_PERMUTE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/random_source.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/permute.h"

namespace tombola::shuffler {

// Permutes uniformly: where the limit has room for the records twice, into a second buffer and on
// one thread a source (block_permute.h), else in place and with the first source (permute.h). The
// second buffer is kept for the next run.
class MemoryPermute {
 public:
  // At least one source; they must outlive it. The limit is of the records and all that is taken
  // for them.
  MemoryPermute(absl::Span<RandomSource* const> sources, size_t memory_limit_bytes)
      : sources_(sources.begin(), sources.end()), memory_limit_(memory_limit_bytes) {}

  struct Result {
    // Where they are now; valid until the next run and while `records` is.
    absl::Span<const uint8_t> records;
    PermuteCost cost;
  };
  // What `records` holds afterwards is not defined.
  Result Run(absl::Span<uint8_t> records, size_t record_bytes);

 private:
  const std::vector<RandomSource*> sources_;
  const size_t memory_limit_;
  PageBuffer second_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_MEMORY_PERMUTE_H_
