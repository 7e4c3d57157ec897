#include "collector/aggregate/signed.h"

#include "collector/aggregate/each_report.h"
#include "common/table/value_report.h"

namespace tombola::collector {
namespace {

using mechanism::ReportState;
using mechanism::SignedReport;

// 0 or -1. Signs are as good as random, so nothing branches on them.
int32_t SignOf(const SignedReport& report) { return report.change >> 31; }

// v + 1 becomes v, and -(v + 1), whose complement v is, as well; 0 becomes 2^32 - 1.
uint32_t ValueOf(const SignedReport& report) {
  const int32_t sign = SignOf(report);
  return static_cast<uint32_t>(report.change ^ sign) - 1 - static_cast<uint32_t>(sign);
}

}  // namespace

SignedAggregator::SignedAggregator(int64_t domain_size)
    : Aggregator(domain_size, SignedReport::kBytes) {}

AddedReports SignedAggregator::Count(absl::Span<const uint8_t> reports) {
  const absl::Span<int64_t> counts = absl::MakeSpan(counts_);
  return CountEach<SignedReport>(
      reports,
      [counts](absl::Span<const uint8_t> bytes, SignedReport* report) {
        if (!mechanism::Read(bytes, report)) return ReportState::kMalformed;
        return ValueOf(*report) < counts.size() ? ReportState::kValid : ReportState::kOutOfRange;
      },
      [counts](const SignedReport& report) { counts[ValueOf(report)] += 1 + 2 * SignOf(report); });
}

}  // namespace tombola::collector
