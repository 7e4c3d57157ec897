#include "collector/answer/quantiles.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "collector/estimate/half_widths.h"

namespace tombola::collector {
namespace {

constexpr size_t kMostFractions = 1000;

void AddRising(double value, std::vector<double>* function) {
  function->push_back(function->empty() ? value : std::max(function->back(), value));
}

void LowerToWhatFollows(std::vector<double>* function) {
  for (size_t edge = function->size() - 1; edge-- > 0;) {
    (*function)[edge] = std::min((*function)[edge], (*function)[edge + 1]);
  }
}

}  // namespace

absl::Status CheckFractions(absl::Span<const double> fractions) {
  if (fractions.size() > kMostFractions) {
    return absl::InvalidArgumentError(absl::StrCat("quantiles has ", fractions.size(),
                                                   " of them; at most ", kMostFractions,
                                                   " can be asked for at once"));
  }
  absl::flat_hash_set<double> seen;
  for (const double fraction : fractions) {
    if (!(fraction >= 0 && fraction <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("quantiles has ", fraction, "; they must be in [0, 1]"));
    }
    if (!seen.insert(fraction).second) {
      return absl::InvalidArgumentError(absl::StrCat("quantiles has ", fraction, " twice"));
    }
  }
  return absl::OkStatus();
}

Quantiles::Quantiles(int64_t bins, absl::FunctionRef<ShareBelow(int64_t edge)> known,
                     std::function<double(int64_t edge)> edge)
    : edge_(std::move(edge)) {
  for (auto* const column : {&most_, &reached_, &reached_by_error_, &held_, &held_by_error_}) {
    column->reserve(static_cast<size_t>(bins) + 1);
  }
  for (int64_t at = 0; at <= bins; ++at) {
    const ShareBelow below = at == 0      ? ShareBelow{}
                             : at == bins ? ShareBelow{.share = 1}
                                          : known(at);
    AddRising(std::clamp(below.share, 0.0, 1.0), &most_);
    AddRising(below.share + below.half_width, &reached_);
    AddRising(below.share + below.error, &reached_by_error_);
    held_.push_back(below.share - below.half_width);
    held_by_error_.push_back(below.share - below.error);
  }
  LowerToWhatFollows(&held_);
  LowerToWhatFollows(&held_by_error_);
}

Quantiles Quantiles::Of(const CountedNumbers& numbers, const Bins& bins) {
  const double all = numbers.WithNumber();
  HalfWidths half_widths(numbers.interval());
  return Quantiles(
      numbers.bins(),
      [&](int64_t edge) {
        const double share = numbers.Below(edge) / all;
        // Of the ratio to all with a number, linearised.
        const double error =
            numbers.ErrorOf({{edge, 1 - share}, {numbers.bins(), -share}}).standard / all;
        return ShareBelow{
            .share = share, .error = error, .half_width = half_widths.Of(error, 1 / all)};
      },
      [&bins](int64_t edge) { return bins.Edge(edge); });
}

// Within the bin that ends at this edge.
double Quantiles::InBin(int64_t edge, double part) const {
  const double low = edge_(edge - 1);
  return low + std::clamp(part, 0.0, 1.0) * (edge_(edge) - low);
}

// Where a straight line in the first bin at whose end the fraction is reached reaches it.
double Quantiles::First(const Rising& function, double fraction) const {
  const auto reached = std::lower_bound(function.begin() + 1, function.end() - 1, fraction);
  const double before = *(reached - 1), at = *reached;
  return InBin(reached - function.begin(), at > before ? (fraction - before) / (at - before) : 0);
}

// Where a straight line in the last bin at whose beginning it is not exceeded exceeds it.
double Quantiles::Last(const Held& function, double fraction) const {
  const auto exceeds = std::upper_bound(function.begin() + 1, function.end() - 1, fraction);
  const double before = *(exceeds - 1), at = *exceeds;
  return InBin(exceeds - function.begin(), at > before ? (fraction - before) / (at - before) : 1);
}

// The lower edge of the first bin at whose end the fraction could be reached.
double Quantiles::Low(double fraction) const {
  const auto edge =
      std::lower_bound(reached_.begin(), reached_.end() - 1, fraction) - reached_.begin();
  return edge_(std::max<int64_t>(edge - 1, 0));
}

// The upper edge of the last bin at whose beginning the fraction could still not be exceeded.
double Quantiles::High(double fraction) const {
  const auto edge = std::upper_bound(held_.begin() + 1, held_.end(), fraction) - held_.begin() - 1;
  return edge_(std::min<int64_t>(edge + 1, bins()));
}

v1::Estimate Quantiles::At(double fraction) const {
  v1::Estimate estimate;
  const double value = First(most_, fraction);
  estimate.set_value(value);
  estimate.set_standard_error(
      std::max(value - First(reached_by_error_, fraction), Last(held_by_error_, fraction) - value));
  estimate.set_low(Low(fraction));
  estimate.set_high(High(fraction));
  return estimate;
}

}  // namespace tombola::collector
