#include "collector/answer/quantiles.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/half_widths.h"

namespace tombola::collector {

Quantiles::Quantiles(const CountedNumbers& numbers, const Bins& bins) : bins_(bins) {
  const double all = numbers.WithNumber();
  HalfWidths half_widths(numbers.interval());
  const int64_t edges = numbers.bins() + 1;
  for (auto* const column : {&errors_, &most_, &reached_, &held_}) {
    column->reserve(static_cast<size_t>(edges));
  }
  for (int64_t edge = 0; edge < edges; ++edge) {
    const bool end = edge == 0 || edge == edges - 1;
    const double share = edge == 0 ? 0 : end ? 1 : numbers.Below(edge) / all;
    // Of the ratio to all with a number, linearised.
    const CountedNumbers::Error error =
        end ? CountedNumbers::Error{}
            : numbers.ErrorOf({{edge, 1 - share}, {numbers.bins(), -share}});
    errors_.push_back(error.standard / all);
    const double half = half_widths.Of(errors_.back(), 1 / all);
    most_.push_back(std::clamp(share, most_.empty() ? 0.0 : most_.back(), 1.0));
    reached_.push_back(reached_.empty() ? share + half : std::max(reached_.back(), share + half));
    held_.push_back(share - half);
  }
  for (size_t edge = held_.size() - 1; edge-- > 0;) {
    held_[edge] = std::min(held_[edge], held_[edge + 1]);
  }
}

double Quantiles::Inverse(double fraction) const {
  const auto reached = std::lower_bound(most_.begin() + 1, most_.end() - 1, fraction);
  const double before = *(reached - 1), at = *reached;
  const auto bin = reached - most_.begin() - 1;
  const double low = bins_.Edge(bin);
  if (!(at > before)) return low;
  const double part = std::clamp((fraction - before) / (at - before), 0.0, 1.0);
  return low + part * (bins_.Edge(bin + 1) - low);
}

// The lower edge of the first bin at whose end the fraction could be reached.
double Quantiles::Low(double fraction) const {
  const auto edge =
      std::lower_bound(reached_.begin(), reached_.end() - 1, fraction) - reached_.begin();
  return bins_.Edge(std::max<int64_t>(edge - 1, 0));
}

// The upper edge of the last bin at whose beginning the fraction could still not be exceeded.
double Quantiles::High(double fraction) const {
  const auto edge = std::upper_bound(held_.begin() + 1, held_.end(), fraction) - held_.begin() - 1;
  return bins_.Edge(std::min<int64_t>(edge + 1, bins_.size()));
}

Quantiles::Quantile Quantiles::At(double fraction) const {
  const auto reached = std::lower_bound(most_.begin() + 1, most_.end() - 1, fraction);
  const auto edge = static_cast<size_t>(reached - most_.begin());
  const double error = std::max(errors_[edge - 1], errors_[edge]);
  return {
      .value = Inverse(fraction),
      .standard_error =
          (Inverse(std::min(fraction + error, 1.0)) - Inverse(std::max(fraction - error, 0.0))) / 2,
      .low = Low(fraction),
      .high = High(fraction)};
}

}  // namespace tombola::collector
