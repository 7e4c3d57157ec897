// The aggregator of reports that name one value: grr, aue, pure_dump and mix_dump.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_VALUE_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_VALUE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"

namespace tombola::collector {

// Each report (mechanism::ValueReport) adds one to the value it names.
class ValueAggregator final : public Aggregator {
 public:
  explicit ValueAggregator(int64_t domain_size);

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_VALUE_H_
