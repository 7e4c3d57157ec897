// The aggregator of reports that say a value once more or once less: correlated.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_SIGNED_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_SIGNED_H_

#include <cstdint>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"

namespace tombola::collector {

// Each report (mechanism::SignedReport) adds one to the value it names, or takes one away: counts
// may be negative.
class SignedAggregator final : public Aggregator {
 public:
  explicit SignedAggregator(int64_t domain_size);

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_SIGNED_H_
