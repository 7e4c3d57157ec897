#include "collector/aggregate/string.h"

#include "collector/aggregate/each_report.h"
#include "common/strings/report.h"

namespace tombola::collector {

using mechanism::ReportState;
using strings::StringReport;

StringAggregator::StringAggregator(const strings::Shape& shape)
    : Aggregator(0, StringReport::kBytes), shape_(shape), tally_(shape) {}

AddedReports StringAggregator::Count(absl::Span<const uint8_t> reports) {
  return CountEach<StringReport>(
      reports,
      [this](absl::Span<const uint8_t> bytes, StringReport* report) {
        if (bytes.size() != StringReport::kBytes) return ReportState::kMalformed;
        *report = strings::LoadReport(bytes);
        const bool valid = report->level < shape_.levels() && report->bucket < shape_.range();
        return valid ? ReportState::kValid : ReportState::kOutOfRange;
      },
      [this](const StringReport& report) { tally_.Add(report); });
}

}  // namespace tombola::collector
