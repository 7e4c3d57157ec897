#include "shuffler/permute/memory_permute.h"

#include "common/base/check.h"
#include "shuffler/permute/block_permute.h"

namespace tombola::shuffler {

MemoryPermute::Result MemoryPermute::Run(absl::Span<uint8_t> records, size_t record_bytes) {
  TOMBOLA_CHECK(record_bytes > 0 && !sources_.empty());
  const size_t needed =
      2 * records.size() + BlockPermuteScratch(records.size() / record_bytes, sources_.size());
  if (records.size() < BlockOptions().least_bytes || needed > memory_limit_) {
    const PermuteCost cost = Permute(records, record_bytes, *sources_.front());
    return {records, cost};
  }
  if (second_.bytes().size() < records.size()) {
    second_ = PageBuffer();  // given back before more is taken
    second_ = PageBuffer(records.size());
  }
  const absl::Span<uint8_t> to = second_.bytes().first(records.size());
  const PermuteCost cost = PermuteInto(records, to, record_bytes, sources_);
  return {to, cost};
}

}  // namespace tombola::shuffler
