// Scattered records in memory, for tests.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_TEST_MEMORY_BLOCKS_H_
#define TOMBOLA_SHUFFLER_PERMUTE_TEST_MEMORY_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "shuffler/permute/scatter.h"

namespace tombola::shuffler {

class MemoryBlocks final : public ScatterBlocks {
 public:
  explicit MemoryBlocks(size_t blocks) : blocks_(blocks) {}
  size_t size() const override { return blocks_.size(); }
  absl::Status Append(size_t block, absl::Span<const uint8_t> record) override {
    blocks_[block].insert(blocks_[block].end(), record.begin(), record.end());
    return absl::OkStatus();
  }
  absl::StatusOr<absl::Span<uint8_t>> Load(size_t block) override {
    return absl::MakeSpan(blocks_[block]);
  }

 private:
  std::vector<std::vector<uint8_t>> blocks_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_TEST_MEMORY_BLOCKS_H_
