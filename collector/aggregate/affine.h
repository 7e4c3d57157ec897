// The aggregator of local hashing with the affine family.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "collector/aggregate/affine_kernel.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/hash_tally.h"
#include "common/table/hashing.h"

namespace tombola::collector {

// Every value is tried against every report: one addition and one comparison each, in lanes of
// Word. Reports are set aside and settled together, a tile of the domain at a time, so that the
// tile's counters stay in the first-level cache.
template <typename Word>
class AffineAggregator final : public Aggregator {
 public:
  // hashing->options().family must be kAffine, its lane_bits those of Word.
  explicit AffineAggregator(std::shared_ptr<const mechanism::Hashing> hashing);

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;
  void Settle() override;

  std::shared_ptr<const mechanism::Hashing> hashing_;
  const HashClasses classes_;
  const int shift_;  // lane bits - log2 range
  std::vector<AffineLine<Word>> set_aside_;
  std::vector<Word> tile_;
};

extern template class AffineAggregator<uint32_t>;
extern template class AffineAggregator<uint64_t>;

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_AFFINE_H_
