#include "collector/aggregate/aggregator.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace tombola::collector {

absl::Status Aggregator::Merge(absl::Span<const int64_t> counts) {
  if (counts.size() != counts_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("counts has ", counts.size(), " entries; the domain has ", counts_.size()));
  }
  for (size_t i = 0; i < counts.size(); ++i) counts_[i] += counts[i];
  return absl::OkStatus();
}

}  // namespace tombola::collector
