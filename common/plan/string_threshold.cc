#include "common/plan/string_threshold.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/saddle_point.h"

namespace tombola::mechanism {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr double kNegligible = 1e-17;

double PoissonPmf(double mean, int64_t k) {
  if (k == 0) return std::exp(-mean);
  const double at = static_cast<double>(k);
  return std::exp(-accounting::StirlingError(at) - accounting::Deviance(at, mean, 1)) /
         std::sqrt(kTwoPi * at);
}

}  // namespace

// Summed on the side of the mean where `least` lies, from there outwards.
double PoissonTail(double mean, int64_t least) {
  if (least <= 0) return 1;
  double sum = 0;
  if (static_cast<double>(least) > mean) {
    double pmf = PoissonPmf(mean, least);
    for (int64_t k = least; pmf > kNegligible * sum; pmf *= mean / static_cast<double>(++k)) {
      sum += pmf;
    }
    return sum;
  }
  double pmf = PoissonPmf(mean, least - 1);
  for (int64_t k = least - 1; k >= 0 && pmf > kNegligible * sum;
       pmf *= static_cast<double>(k--) / mean) {
    sum += pmf;
  }
  return 1 - sum;
}

int64_t ChanceThreshold(double mean, double candidates, double level) {
  const auto good = [&](int64_t t) { return candidates * PoissonTail(mean, t) <= level; };
  int64_t bad = -1;
  int64_t most = 1 + static_cast<int64_t>(mean);
  while (!good(most)) {
    bad = most;
    most = 2 * most + 1;
  }
  while (most - bad > 1) {
    const int64_t middle = bad + (most - bad) / 2;
    (good(middle) ? most : bad) = middle;
  }
  return most;
}

double MeanReaching(int64_t threshold, double probability) {
  double low = 0;
  double high = static_cast<double>(threshold);
  while (PoissonTail(high, threshold) < probability) high *= 2;
  for (int i = 0; i < 100 && high - low > 1e-10 * high; ++i) {
    const double middle = (low + high) / 2;
    (PoissonTail(middle, threshold) < probability ? low : high) = middle;
  }
  return high;
}

StringThreshold ThresholdOf(const StringSearch& search) {
  const double levels = static_cast<double>(search.levels);
  const int64_t statistic = std::max<int64_t>(
      1, ChanceThreshold(search.by_chance, search.candidates, search.alpha / levels));
  const double power = std::pow(search.power, 1 / levels);
  StringThreshold threshold{.statistic = statistic};
  if (search.surely) {
    int64_t few = -1;
    int64_t enough = statistic;  // a tail from 0 on is 1
    while (enough - few > 1) {
      const int64_t middle = few + (enough - few) / 2;
      (PoissonTail(search.by_chance, statistic - middle) < power ? few : enough) = middle;
    }
    threshold.holders = static_cast<double>(enough) / search.of_holder;
  } else {
    const double mean = MeanReaching(statistic, power);
    threshold.holders = std::max(0.0, mean - search.by_chance) / search.of_holder;
  }
  return threshold;
}

}  // namespace tombola::mechanism
