#include "collector/aggregate/value.h"

#include "common/mechanism/value_report.h"

namespace tombola::collector {

AddResult ValueAggregator::Add(absl::Span<const uint8_t> report) {
  mechanism::ValueReport decoded;
  if (!mechanism::Read(report, &decoded)) return AddResult::kMalformed;
  if (decoded.value >= counts_.size()) return AddResult::kOutOfRange;
  ++counts_[decoded.value];
  return AddResult::kCounted;
}

}  // namespace tombola::collector
