#include "collector/aggregate/bits.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/table/report_state.h"

namespace tombola::collector {

using mechanism::Bloom;
using mechanism::ReportState;

BitsAggregator::BitsAggregator(std::shared_ptr<const Bloom> bloom)
    : Aggregator(bloom->options().domain_size, bloom->report_bytes()),
      bloom_(std::move(bloom)),
      ones_(static_cast<size_t>(bloom_->options().bits), 0) {}

AddedReports BitsAggregator::Count(absl::Span<const uint8_t> reports) {
  const size_t bytes = bloom_->report_bytes();
  AddedReports added;
  for (size_t at = 0; at < reports.size(); at += bytes) {
    const absl::Span<const uint8_t> report = reports.subspan(at, bytes);
    const ReportState state = bloom_->Decode(report);
    if (state == ReportState::kMalformed) ++added.rejected.malformed;
    if (state == ReportState::kOutOfRange) ++added.rejected.out_of_range;
    if (state != ReportState::kValid) continue;
    for (size_t bit = 0; bit < ones_.size(); ++bit) ones_[bit] += Bloom::Has(report, bit);
    ++added.counted;
  }
  return added;
}

void BitsAggregator::Settle() {
  for (size_t value = 0; value < counts_.size(); ++value) {
    for (const uint8_t bit : bloom_->BitsOf(value)) counts_[value] += ones_[bit];
  }
  std::fill(ones_.begin(), ones_.end(), 0);
}

}  // namespace tombola::collector
