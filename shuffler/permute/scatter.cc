#include "shuffler/permute/scatter.h"

#include <vector>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::shuffler {

Scatter::Scatter(size_t record_bytes, ScatterBlocks& blocks,
                 absl::Span<RandomSource* const> sources, size_t memory_limit_bytes)
    : record_bytes_(record_bytes),
      blocks_(blocks),
      random_(*sources.front()),
      permute_(sources, memory_limit_bytes) {
  TOMBOLA_CHECK(record_bytes >= 1);
  TOMBOLA_CHECK(blocks.size() >= 1);
}

Scatter::Scatter(size_t record_bytes, ScatterBlocks& blocks, RandomSource& random)
    : Scatter(record_bytes, blocks, std::vector<RandomSource*>{&random}, 0) {}

absl::Status Scatter::Add(absl::Span<const uint8_t> records) {
  TOMBOLA_CHECK(records.size() % record_bytes_ == 0);
  for (; !records.empty(); records.remove_prefix(record_bytes_)) {
    const size_t block = UniformBelow(blocks_.size(), random_);
    TOMBOLA_RETURN_IF_ERROR(blocks_.Append(block, records.first(record_bytes_)));
    ++cost_.draws;
    ++cost_.moves;
  }
  return absl::OkStatus();
}

absl::Status Scatter::Finish(const Emit& emit) {
  for (size_t block = 0; block < blocks_.size(); ++block) {
    TOMBOLA_ASSIGN_OR_RETURN(const absl::Span<uint8_t> records, blocks_.Load(block));
    const MemoryPermute::Result permuted = permute_.Run(records, record_bytes_);
    cost_.draws += permuted.cost.draws;
    cost_.moves += permuted.cost.moves;
    TOMBOLA_RETURN_IF_ERROR(emit(permuted.records));
  }
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
