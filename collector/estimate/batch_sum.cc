#include "collector/estimate/batch_sum.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/difference_tail.h"
#include "collector/estimate/normal.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

double HolderVariance(const CountModel& model, const Tally& tally, double frequency) {
  const auto submissions = static_cast<double>(tally.submissions);
  return submissions * submissions * mechanism::EstimateVariance(model, tally, frequency);
}

// A difference of this success and variance: that is shape / (2 sinh^2(a / 2)).
Difference OfVariance(double success, double variance) {
  const double rest = 1 - success;
  return {.shape = variance * rest * rest / (2 * success), .success = success};
}

}  // namespace

double EstimatedHolders(const CountModel& model, const Tally& tally, double count) {
  return (count - mechanism::Background(model, tally)) / mechanism::Signal(model);
}

double VariancePerHolder(const CountModel& model, const Tally& tally) {
  // A report that says its device's value for certain adds no noise of its own.
  if (model.support.holder == 1 && model.support.other == 0) return 0;
  return (HolderVariance(model, tally, 1) - HolderVariance(model, tally, 0)) /
         static_cast<double>(tally.submissions);
}

void BatchSum::Add(const CountModel& model, const Tally& tally) {
  const double none = HolderVariance(model, tally, 0);
  const double all = HolderVariance(model, tally, 1);
  fixed_ += none;
  least_ += std::min(none, all);
  most_ += std::max(none, all);
  slope_ = std::max(slope_, std::abs(VariancePerHolder(model, tally)));
  per_count_ = std::max(per_count_, 1 / mechanism::Signal(model));
  if (model.difference_shape > 0) success_ = std::max(success_, model.difference_success);
}

double BatchSum::Variance(double sloped) const {
  return std::clamp(fixed_ + sloped, least_, most_);
}

// As in interval.cc and sum_interval.cc: the variance may be larger at the far end.
double BatchSum::Quantile(double variance, double slope, double tail) const {
  if (empty()) return 0;
  if (success_ > 0) {
    // The larger the shape, the wider the law, and Laplace's, of shape 1, has a quantile of its
    // own.
    const Difference noise = OfVariance(success_, variance / (per_count_ * per_count_));
    const double widest = noise.shape < 1
                              ? std::min(UpperQuantile(noise, tail),
                                         UpperQuantile({.shape = 1, .success = success_}, tail))
                              : UpperQuantile(noise, tail);
    return (widest + 0.5) * per_count_;
  }
  const double z = NormalTailQuantile(tail);
  const double squared = z * z * slope;
  const double score = (squared + std::sqrt(squared * squared + 4 * z * z * variance)) / 2;
  return score + per_count_ * (std::max(0.0, z * z - 1) / 6 + 0.5);
}

double BatchSum::HalfWidth(double variance, double alpha) const {
  return Quantile(variance, slope_, std::max(1e-300, alpha / 2));
}

double BatchSum::UpperQuantileAtZero(double tail) const { return Quantile(fixed_, 0, tail); }

CountModel BatchSum::AsOneBatch(int64_t submissions, double background) const {
  const auto each = static_cast<double>(submissions);
  CountModel model{.support = {.holder = 1, .other = 0, .separation = 1},
                   .noise = CountModel::Noise::kPoisson,
                   .noise_mean = background / each,
                   .noise_variance = fixed_ / each,
                   .noise_third = fixed_ / each};
  if (success_ > 0) {
    const Difference noise = OfVariance(success_, fixed_);
    model.noise = CountModel::Noise::kDifference;
    model.noise_third = 0;
    model.difference_shape = noise.shape / each;
    model.difference_success = noise.success;
  }
  return model;
}

// As BernsteinMaxError and DifferenceMaxError.
double BatchSum::MaxError(int64_t domain_size, double beta) const {
  if (empty()) return 0;
  const double log_term = std::log(2 * static_cast<double>(domain_size)) - std::log(beta);
  if (success_ > 0) {
    return per_count_ *
           ChernoffBound(OfVariance(success_, most_ / (per_count_ * per_count_)), log_term);
  }
  return std::sqrt(2 * most_ * log_term) + 2 * log_term * per_count_ / 3;
}

}  // namespace tombola::collector
