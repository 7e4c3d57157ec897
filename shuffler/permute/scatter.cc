#include "shuffler/permute/scatter.h"

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::shuffler {

Scatter::Scatter(size_t record_bytes, ScatterBlocks& blocks, RandomSource& random)
    : record_bytes_(record_bytes), blocks_(blocks), random_(random) {
  TOMBOLA_CHECK(record_bytes >= 1);
  TOMBOLA_CHECK(blocks.size() >= 1);
}

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
    const PermuteCost cost = Permute(records, record_bytes_, random_);
    cost_.draws += cost.draws;
    cost_.moves += cost.moves;
    TOMBOLA_RETURN_IF_ERROR(emit(records));
  }
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
