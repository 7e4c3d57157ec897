#include "collector/estimate/total_interval.h"

#include <algorithm>
#include <cmath>

#include "collector/estimate/normal.h"

namespace tombola::collector {

double DeviationsOf(double confidence, NoiseKind noise) {
  const double beyond = 1 - confidence;
  const double normal = NormalTailQuantile(beyond / 2);
  const double laplace = -std::log(beyond) / std::sqrt(2);
  return noise == NoiseKind::kGaussian ? normal : std::max(normal, laplace);
}

TotalInterval IntervalOf(const stream::NoisyTotal& total, double deviations) {
  const auto half = static_cast<int64_t>(std::ceil(deviations * std::sqrt(total.variance)));
  return {total.total - half, total.total + half};
}

}  // namespace tombola::collector
