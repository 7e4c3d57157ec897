#include "collector/answer/quantiles.h"

#include <algorithm>

namespace tombola::collector {

Quantiles::Quantiles(const CountedNumbers& numbers, const Bins& bins)
    : numbers_(numbers), bins_(bins) {
  const double all = numbers.WithNumber();
  const int64_t edges = numbers.bins() + 1;
  for (int64_t edge = 0; edge < edges; ++edge) {
    const bool end = edge == 0 || edge == edges - 1;
    const double share = edge == 0 ? 0 : end ? 1 : numbers.Below(edge) / all;
    shares_.push_back(share);
    most_.push_back(std::clamp(share, most_.empty() ? 0.0 : most_.back(), 1.0));
    // Of the ratio to all with a number, linearised.
    const CountedNumbers::Error error =
        end ? CountedNumbers::Error{}
            : numbers.ErrorOf({{edge, 1 - share}, {numbers.bins(), -share}});
    errors_.push_back(error.standard / all);
  }
  widest_ =
      numbers.interval().HalfWidth(*std::max_element(errors_.begin(), errors_.end()), 1 / all);
  least_ = shares_;
  for (size_t edge = least_.size() - 1; edge-- > 0;) {
    least_[edge] = std::min(least_[edge], least_[edge + 1]);
  }
}

double Quantiles::HalfWidth(size_t edge) const {
  return numbers_.interval().HalfWidth(errors_[edge], 1 / numbers_.WithNumber());
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

// The lower edge of the first bin at whose end the fraction could be reached. Of edges before the
// first that are near enough for the widest interval, none can be it.
double Quantiles::Low(double fraction) const {
  auto edge = static_cast<size_t>(
      std::lower_bound(most_.begin(), most_.end() - 1, fraction - widest_) - most_.begin());
  while (edge + 1 < shares_.size() && shares_[edge] + HalfWidth(edge) < fraction) ++edge;
  return bins_.Edge(edge == 0 ? 0 : static_cast<int64_t>(edge) - 1);
}

// The upper edge of the last bin at whose beginning the fraction could still not be exceeded.
double Quantiles::High(double fraction) const {
  auto edge = static_cast<size_t>(
      std::upper_bound(least_.begin() + 1, least_.end(), fraction + widest_) - least_.begin() - 1);
  while (edge > 0 && shares_[edge] - HalfWidth(edge) > fraction) --edge;
  return bins_.Edge(std::min(static_cast<int64_t>(edge) + 1, bins_.size()));
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
