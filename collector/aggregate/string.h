// The aggregator of reports that name a cell of a prefix: those of strings that nobody listed.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_STRING_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_STRING_H_

#include <cstdint>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/string_counts.h"
#include "common/strings/shape.h"

namespace tombola::collector {

// Each report (strings::StringReport) adds one to its cell. Memory grows with the cells that occur,
// of which there are no more than reports.
class StringAggregator final : public Aggregator {
 public:
  explicit StringAggregator(const strings::Shape& shape);

  SparseCells TakeCells() override { return tally_.Take().TakeCells(); }

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;

  strings::Shape shape_;
  StringTally tally_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_STRING_H_
