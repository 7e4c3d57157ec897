#include "collector/aggregate/plane.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/base/check.h"
#include "common/mechanism/hash_family.h"
#include "common/mechanism/local_hash_report.h"

namespace tombola::collector {

PlaneAggregator::PlaneAggregator(std::shared_ptr<const mechanism::LocalHash> local_hash)
    : Aggregator(local_hash->domain_size()),
      local_hash_(std::move(local_hash)),
      classes_(*local_hash_),
      order_(static_cast<uint32_t>(local_hash_->options().range)),
      side_(static_cast<uint32_t>(local_hash_->side())),
      rows_(static_cast<uint32_t>((counts_.size() + side_ - 1) / side_)) {
  TOMBOLA_CHECK(local_hash_->options().family == mechanism::HashFamily::kPlane);
  hashes_ = classes_.Empty();
}

AddResult PlaneAggregator::Add(absl::Span<const uint8_t> report) {
  mechanism::PlaneReport line;
  switch (local_hash_->Decode(report, &line)) {
    case mechanism::ReportState::kMalformed:
      return AddResult::kMalformed;
    case mechanism::ReportState::kOutOfRange:
      return AddResult::kOutOfRange;
    case mechanism::ReportState::kValid:
      break;
  }
  classes_.Add(line, hashes_);
  if (line.function == order_) {
    if (line.bucket < rows_) AddRow(line.bucket);
  } else {
    AddLine(line.function, line.bucket);
  }
  return AddResult::kCounted;
}

void PlaneAggregator::AddRow(uint64_t row) {
  const size_t end = std::min<size_t>((row + 1) * side_, counts_.size());
  for (size_t value = row * side_; value < end; ++value) ++counts_[value];
}

void PlaneAggregator::AddLine(uint32_t slope, uint32_t bucket) {
  // a v1 + v0 = y mod q, so v0 falls by a from one row to the next. q < 2^31: no step overflows.
  int32_t column = static_cast<int32_t>(bucket);
  const int32_t step = static_cast<int32_t>(slope);
  const int32_t order = static_cast<int32_t>(order_);
  const int32_t side = static_cast<int32_t>(side_);
  size_t row_start = 0;
  for (uint32_t row = 0; row + 1 < rows_; ++row) {
    if (column < side) ++counts_[row_start + static_cast<size_t>(column)];
    row_start += side_;
    column -= step;
    column += (column >> 31) & order;
  }
  const size_t last = row_start + static_cast<size_t>(column);
  if (column < side && last < counts_.size()) ++counts_[last];
}

}  // namespace tombola::collector
