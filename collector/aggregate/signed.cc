#include "collector/aggregate/signed.h"

#include "common/mechanism/value_report.h"

namespace tombola::collector {

AddResult SignedAggregator::Add(absl::Span<const uint8_t> report) {
  mechanism::SignedReport decoded;
  if (!mechanism::Read(report, &decoded)) return AddResult::kMalformed;
  // v + 1 becomes v, and -(v + 1), whose complement v is, as well; 0 becomes 2^32 - 1. Without a
  // branch, because signs are as good as random.
  const int32_t sign = decoded.change >> 31;  // 0 or -1
  const uint32_t value =
      static_cast<uint32_t>(decoded.change ^ sign) - 1 - static_cast<uint32_t>(sign);
  if (value >= counts_.size()) return AddResult::kOutOfRange;
  counts_[value] += 1 + 2 * sign;
  return AddResult::kCounted;
}

}  // namespace tombola::collector
