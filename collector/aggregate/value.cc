#include "collector/aggregate/value.h"

#include "collector/aggregate/each_report.h"
#include "common/table/value_report.h"

namespace tombola::collector {

using mechanism::ReportState;
using mechanism::ValueReport;

ValueAggregator::ValueAggregator(int64_t domain_size)
    : Aggregator(domain_size, ValueReport::kBytes) {}

AddedReports ValueAggregator::Count(absl::Span<const uint8_t> reports) {
  const absl::Span<int64_t> counts = absl::MakeSpan(counts_);
  return CountEach<ValueReport>(
      reports,
      [counts](absl::Span<const uint8_t> bytes, ValueReport* report) {
        if (!mechanism::Read(bytes, report)) return ReportState::kMalformed;
        return report->value < counts.size() ? ReportState::kValid : ReportState::kOutOfRange;
      },
      [counts](const ValueReport& report) { ++counts[report.value]; });
}

}  // namespace tombola::collector
