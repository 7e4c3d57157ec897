#include "collector/estimate/interval.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/normal.h"

namespace tombola::collector {
namespace {

// The skewness of a count of n independent reports, a share f of them with probability p and the
// rest with s: the third central moments b (1 - b) (1 - 2 b) of the Bernoulli variables add up.
double Skewness(const mechanism::Support& support, double frequency, double n) {
  const double p = support.holder;
  const double s = support.other;
  const double second = (1 - frequency) * s * (1 - s) + frequency * p * (1 - p);
  if (second == 0) return 0;
  const double third =
      (1 - frequency) * s * (1 - s) * (1 - 2 * s) + frequency * p * (1 - p) * (1 - 2 * p);
  return third / (second * std::sqrt(second * n));
}

}  // namespace

double IntervalHalfWidth(const mechanism::Support& support, int64_t reports, double raw,
                         double alpha) {
  const double n = static_cast<double>(reports);
  const double z = NormalTailQuantile(alpha / 2);
  const double frequency = std::clamp(raw, 0.0, 1.0);
  const double variance = mechanism::EstimateVariance(support, frequency, reports);
  // The variance is A + B f. |raw - f| = h solves h^2 = z^2 (A + B f) on the side where B grows.
  const double slope = std::abs(mechanism::EstimateVariance(support, 1, reports) -
                                mechanism::EstimateVariance(support, 0, reports));
  const double score = (z * z * slope + z * std::sqrt(z * z * slope * slope + 4 * variance)) / 2;
  const double skew = std::sqrt(variance) * std::abs(Skewness(support, frequency, n)) *
                      std::max(0.0, z * z - 1) / 6;
  const double continuity = 0.5 / (n * support.separation);
  return score + skew + continuity;
}

double BernsteinMaxError(const mechanism::Support& support, int64_t reports, int64_t domain_size,
                         double beta) {
  const double log_term = std::log(2 * static_cast<double>(domain_size) / beta);
  // The variance is linear in the frequency: its largest value is at an end.
  const double variance = std::max(mechanism::EstimateVariance(support, 0, reports),
                                   mechanism::EstimateVariance(support, 1, reports));
  return std::sqrt(2 * variance * log_term) +
         2 * log_term / (3 * static_cast<double>(reports) * support.separation);
}

}  // namespace tombola::collector
