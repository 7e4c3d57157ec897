#include "collector/aggregate/aggregator.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace tombola::collector {

AddedReports& AddedReports::operator+=(const AddedReports& other) {
  counted += other.counted;
  malformed += other.malformed;
  out_of_range += other.out_of_range;
  return *this;
}

AddResult Aggregator::Add(absl::Span<const uint8_t> report) {
  if (report.size() != report_bytes_) return AddResult::kMalformed;
  const AddedReports added = Count(report);
  if (added.malformed != 0) return AddResult::kMalformed;
  return added.out_of_range != 0 ? AddResult::kOutOfRange : AddResult::kCounted;
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
