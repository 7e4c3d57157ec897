#include "collector/estimate/ranking.h"

#include <algorithm>
#include <cstddef>

namespace tombola::collector {
namespace {

uint64_t CountAbove(const std::vector<double>& ascending, double bound) {
  return static_cast<uint64_t>(ascending.end() -
                               std::upper_bound(ascending.begin(), ascending.end(), bound));
}

uint64_t CountFrom(const std::vector<double>& ascending, double bound) {
  return static_cast<uint64_t>(ascending.end() -
                               std::lower_bound(ascending.begin(), ascending.end(), bound));
}

}  // namespace

Ranking::Ranking(absl::Span<const double> raw, const Band& band) : band_(band) {
  lows_.reserve(raw.size());
  highs_.reserve(raw.size());
  for (const double estimate : raw) {
    lows_.push_back(band.Low(estimate));
    highs_.push_back(band.High(estimate));
  }
  std::sort(lows_.begin(), lows_.end());
  std::sort(highs_.begin(), highs_.end());
}

// Surely before it are the values that lie above its interval; perhaps before it those that do not
// lie below, of which it is one.
Place Ranking::Of(double raw) const {
  const double low = band_.Low(raw), high = band_.High(raw);
  return {.low = low,
          .high = high,
          .best = 1 + CountAbove(lows_, high),
          .worst = CountFrom(highs_, low)};
}

// The best place of a value is within the top unless `top` lows are above its interval.
uint64_t Ranking::Possible(uint64_t top) const {
  if (top >= lows_.size()) return lows_.size();
  return CountFrom(highs_, lows_[lows_.size() - static_cast<size_t>(top)]);
}

uint64_t Ranking::held() const { return CountAbove(lows_, 0); }

}  // namespace tombola::collector
