#include "lab/streams/noise.h"

#include <cmath>

namespace tombola::lab {
namespace {

constexpr double kCorrelatedShare = 0.9;

double DiscreteLaplaceVariance(double rate) {
  const double less = -std::expm1(-rate);
  return 2 * std::exp(-rate) / (less * less);
}

}  // namespace

NoiseOf LaplaceNoise(double epsilon) {
  return [epsilon](double share) { return 2 / (epsilon * share * epsilon * share); };
}

NoiseOf DiscreteLaplaceNoise(double epsilon) {
  return [epsilon](double share) { return DiscreteLaplaceVariance(epsilon * share); };
}

NoiseOf GaussianNoise(double theta) {
  return [theta](double share) { return 1 / (theta * theta * share); };
}

// A device changes two cells by one each, so each has half of epsilon.
NoiseOf CorrelatedShares(double epsilon) {
  return [epsilon](double share) {
    return DiscreteLaplaceVariance(kCorrelatedShare * epsilon * share / 2);
  };
}

}  // namespace tombola::lab
