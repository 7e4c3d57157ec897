#include "collector/aggregate/aggregator.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace tombola::collector {

using mechanism::ReportState;

ReportState Aggregator::Add(absl::Span<const uint8_t> report) {
  if (report.size() != report_bytes_) return ReportState::kMalformed;
  const AddedReports added = Count(report);
  if (added.rejected.malformed != 0) return ReportState::kMalformed;
  return added.rejected.out_of_range != 0 ? ReportState::kOutOfRange : ReportState::kValid;
}

AddedReports Aggregator::AddAll(absl::Span<const uint8_t> reports) {
  TOMBOLA_CHECK(reports.size() % report_bytes_ == 0);
  return Count(reports);
}

absl::Status Aggregator::Merge(absl::Span<const int64_t> counts) {
  if (counts.size() != counts_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("counts has ", counts.size(), " entries; the domain has ", counts_.size()));
  }
  for (size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
  return absl::OkStatus();
}

}  // namespace tombola::collector
