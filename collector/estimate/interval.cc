#include "collector/estimate/interval.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/difference_tail.h"
#include "collector/estimate/normal.h"
#include "common/base/check.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::EstimateVariance;
using mechanism::Tally;

double SecondMoment(double b) { return b * (1 - b); }
double ThirdMoment(double b) { return b * (1 - b) * (1 - 2 * b); }

// By how much one count changes the estimate.
double PerCount(const CountModel& model, const Tally& tally) {
  return 1 / (static_cast<double>(tally.submissions) * mechanism::Signal(model));
}

// The Cornish-Fisher term (z^2 - 1) / 6 times skewness times deviation, in the estimate's unit. The
// central moments of the count's independent parts add up.
double SkewTerm(const CountModel& model, const Tally& tally, double frequency, double z) {
  const double p = model.support.holder;
  const double s = model.support.other;
  const double n = static_cast<double>(tally.submissions);
  const double fakes = static_cast<double>(tally.fakes);
  const double second =
      n * ((1 - frequency) * SecondMoment(s) + frequency * SecondMoment(p) + model.noise_variance) +
      fakes * SecondMoment(model.fake_support);
  if (second == 0) return 0;
  const double third =
      n * ((1 - frequency) * ThirdMoment(s) + frequency * ThirdMoment(p) + model.noise_third) +
      fakes * ThirdMoment(model.fake_support);
  return std::abs(third) / second * PerCount(model, tally) * std::max(0.0, z * z - 1) / 6;
}

// ln(2 d / beta): both sides of each value of the domain.
double LogTerm(int64_t domain_size, double beta) {
  return std::log(2 * static_cast<double>(domain_size)) - std::log(beta);
}

Difference NoiseOf(const CountModel& model, const Tally& tally) {
  TOMBOLA_CHECK(model.support.holder == 1 && model.support.other == 0);
  return {.shape = model.difference_shape * static_cast<double>(tally.submissions),
          .success = model.difference_success};
}

}  // namespace

Interval::Interval(const CountModel& model, const Tally& tally, double alpha)
    : model_(model), tally_(tally), per_count_(PerCount(model, tally)) {
  if (model.difference_shape > 0) {
    fixed_ = UpperQuantile(NoiseOf(model, tally), alpha / 2) * per_count_ + per_count_ / 2;
    return;
  }
  z_ = NormalTailQuantile(alpha / 2);
  slope_ = std::abs(EstimateVariance(model, tally, 1) - EstimateVariance(model, tally, 0));
}

double Interval::HalfWidth(double raw) const {
  if (model_.difference_shape > 0) return fixed_;
  const double frequency = std::clamp(raw, 0.0, 1.0);
  const double variance = EstimateVariance(model_, tally_, frequency);
  // The variance is A + B f. |raw - f| = h solves h^2 = z^2 (A + B f) on the side where B grows.
  const double squared = z_ * z_ * slope_;
  const double score = (squared + z_ * std::sqrt(squared * slope_ + 4 * variance)) / 2;
  return score + SkewTerm(model_, tally_, frequency, z_) + per_count_ / 2;
}

double UpperQuantileAtZero(const CountModel& model, const Tally& tally, double tail) {
  const double continuity = PerCount(model, tally) / 2;
  if (model.difference_shape > 0) {
    return UpperQuantile(NoiseOf(model, tally), tail) * PerCount(model, tally) + continuity;
  }
  const double z = NormalTailQuantile(tail);
  return z * std::sqrt(EstimateVariance(model, tally, 0)) + SkewTerm(model, tally, 0, z) +
         continuity;
}

Band::Band(const CountModel& model, const Tally& tally, int64_t domain_size, double beta)
    : model_(model), tally_(tally) {
  if (model.difference_shape > 0) {
    fixed_ = DifferenceMaxError(model, tally, domain_size, beta);
    return;
  }
  log_term_ = LogTerm(domain_size, beta);
  fixed_ = 2 * log_term_ * PerCount(model, tally) / 3;
  slope_ = EstimateVariance(model, tally, 1) - EstimateVariance(model, tally, 0);
}

// The largest u with u^2 = 2 L (V(nearest) + slope u): how far beyond `nearest` a frequency may
// lie.
double Band::Reach(double nearest, double slope) const {
  const double linear = log_term_ * slope;
  const double square = linear * linear + 2 * log_term_ * EstimateVariance(model_, tally_, nearest);
  return square > 0 ? std::max(0.0, linear + std::sqrt(square)) : 0;
}

double Band::Low(double raw) const {
  const double nearest = raw - fixed_;
  return std::clamp(nearest - Reach(nearest, -slope_), 0.0, 1.0);
}

double Band::High(double raw) const {
  const double nearest = raw + fixed_;
  return std::clamp(nearest + Reach(nearest, slope_), 0.0, 1.0);
}

double BernsteinMaxError(const CountModel& model, const Tally& tally, int64_t domain_size,
                         double beta) {
  const double log_term = LogTerm(domain_size, beta);
  // The variance is linear in the frequency: its largest value is at an end.
  const double variance =
      std::max(EstimateVariance(model, tally, 0), EstimateVariance(model, tally, 1));
  return std::sqrt(2 * variance * log_term) + 2 * log_term * PerCount(model, tally) / 3;
}

double DifferenceMaxError(const CountModel& model, const Tally& tally, int64_t domain_size,
                          double beta) {
  const double log_term = LogTerm(domain_size, beta);
  return ChernoffBound(NoiseOf(model, tally), log_term) * PerCount(model, tally);
}

}  // namespace tombola::collector
