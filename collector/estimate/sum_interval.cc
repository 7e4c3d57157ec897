#include "collector/estimate/sum_interval.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/difference_tail.h"
#include "collector/estimate/normal.h"

namespace tombola::collector {

SumInterval::SumInterval(const mechanism::CountModel& model, const mechanism::Tally& tally,
                         double alpha)
    : model_(model),
      submissions_(static_cast<double>(tally.submissions)),
      tail_(std::max(1e-300, alpha / 2)),
      per_count_(1 / (submissions_ * mechanism::Signal(model))) {
  if (model.difference_shape > 0) return;
  z_ = NormalTailQuantile(tail_);
  slope_ = std::abs(mechanism::EstimateVariance(model, tally, 1) -
                    mechanism::EstimateVariance(model, tally, 0));
}

double SumInterval::HalfWidth(double standard_error, double reach) const {
  if (!(standard_error > 0) || !(reach > 0)) return 0;
  const double variance = standard_error * standard_error;
  if (model_.difference_shape > 0) {
    const double count = reach * per_count_;
    const double cells = variance / (count * count * submissions_ * model_.noise_variance);
    const auto quantile = [&](double shape) {
      return UpperQuantile({.shape = shape, .success = model_.difference_success}, tail_);
    };
    // The larger the shape, the wider the law: Laplace's, which has a quantile of its own, stands
    // for those below it.
    const double shape = model_.difference_shape * submissions_ * cells;
    const double widest = shape < 1 ? std::min(quantile(shape), quantile(1)) : quantile(shape);
    return (widest + 0.5) * count;
  }
  // As in Interval::HalfWidth: the variance may be larger at the far end of the interval.
  const double squared = z_ * z_ * slope_ * reach;
  const double score = (squared + std::sqrt(squared * squared + 4 * z_ * z_ * variance)) / 2;
  return score + reach * per_count_ * (std::max(0.0, z_ * z_ - 1) / 6 + 0.5);
}

}  // namespace tombola::collector
