#include "bench/load/latencies.h"

#include <algorithm>
#include <cmath>

namespace tombola::bench {

void Latencies::Merge(const Latencies& other) {
  nanoseconds_.insert(nanoseconds_.end(), other.nanoseconds_.begin(), other.nanoseconds_.end());
}

absl::Duration Latencies::Quantile(double q) const {
  if (nanoseconds_.empty()) return absl::ZeroDuration();
  const auto size = static_cast<double>(nanoseconds_.size());
  // Nearest rank; the product may lie a rounding error above a whole number.
  const double rank = std::ceil(q * size - 1e-9 * size);
  const auto index = static_cast<int64_t>(std::clamp(rank, 1.0, size)) - 1;
  std::vector<int64_t> sorted = nanoseconds_;
  std::nth_element(sorted.begin(), sorted.begin() + index, sorted.end());
  return absl::Nanoseconds(sorted[static_cast<size_t>(index)]);
}

}  // namespace tombola::bench
