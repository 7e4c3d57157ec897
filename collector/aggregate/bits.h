// The aggregator of reports that are bits: rappor.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_BITS_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_BITS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "common/table/bloom.h"

namespace tombola::collector {

// A report adds to each value as many as it has ones on the value's bits. Bits are counted first,
// and values from those.
class BitsAggregator final : public Aggregator {
 public:
  explicit BitsAggregator(std::shared_ptr<const mechanism::Bloom> bloom);

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;
  void Settle() override;

  std::shared_ptr<const mechanism::Bloom> bloom_;
  std::vector<int64_t> ones_;  // of each bit, in reports that are not in the counts yet
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_BITS_H_
