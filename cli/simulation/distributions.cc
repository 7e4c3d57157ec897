#include "cli/simulation/distributions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "common/base/check.h"

namespace tombola::simulation {
namespace {

// Below this mean counting one event after the other is faster than rejection, and the constants
// of the rejection methods are not valid.
constexpr double kSmallMean = 10;

// ln k! - [(k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2], Stirling's remainder; k whole and >= 0.
double StirlingRemainder(double k) {
  static const std::array<double, 10> kSmall = [] {
    std::array<double, 10> table;
    double log_factorial = 0;
    for (int i = 0; i < 10; ++i) {
      if (i > 0) log_factorial += std::log(i);
      table[i] = log_factorial -
                 ((i + 0.5) * std::log(i + 1.0) - (i + 1) + 0.5 * std::log(2 * std::acos(-1.0)));
    }
    return table;
  }();
  if (k < 10) return kSmall[static_cast<size_t>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Adds up geometric gaps between successes; the number of steps is the result plus one.
int64_t BinomialByGaps(int64_t trials, double probability, Generator& random) {
  const double log_failure = std::log1p(-probability);
  const double last = static_cast<double>(trials);
  double position = 0;
  for (int64_t successes = 0;; ++successes) {
    position += std::ceil(std::log(Uniform(random)) / log_failure);
    if (position > last) return successes;
  }
}

// Hoermann, "The generation of binomial random variates", 1993, algorithm BTRS: transformed
// rejection. trials * probability >= 10, probability <= 1/2.
int64_t BinomialByRejection(int64_t trials, double probability, Generator& random) {
  const double n = static_cast<double>(trials);
  const double p = probability;
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double odds = p / (1 - p);
  const double mode = std::floor((n + 1) * p);
  for (;;) {
    const double u = Uniform(random) - 0.5;
    const double v = Uniform(random);
    const double gap = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / gap + b) * u + n * p + 0.5);
    if (gap >= 0.07 && v <= 0.92 - 4.2 / b) return static_cast<int64_t>(k);
    if (k < 0 || k > n) continue;
    const double limit = (mode + 0.5) * std::log((mode + 1) / (odds * (n - mode + 1))) +
                         (n + 1) * std::log((n - mode + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(odds * (n - k + 1) / (k + 1)) +
                         StirlingRemainder(mode) + StirlingRemainder(n - mode) -
                         StirlingRemainder(k) - StirlingRemainder(n - k);
    if (std::log(v * alpha / (a / (gap * gap) + b)) <= limit) return static_cast<int64_t>(k);
  }
}

int64_t PoissonByGaps(double mean, Generator& random) {
  double position = 0;
  for (int64_t events = 0;; ++events) {
    position -= std::log(Uniform(random));
    if (position > mean) return events;
  }
}

// Hoermann, "The transformed rejection method for generating Poisson random variables", 1993,
// algorithm PTRS. mean >= 10.
int64_t PoissonByRejection(double mean, Generator& random) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const double u = Uniform(random) - 0.5;
    const double v = Uniform(random);
    const double gap = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / gap + b) * u + mean + 0.43);
    if (gap >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return static_cast<int64_t>(k);
    if (k < 0 || (gap < 0.013 && v > gap)) continue;
    const double log_probability = k * std::log(mean / (k + 1)) - 0.5 * std::log(k + 1) +
                                   (k + 1 - mean) - 0.5 * std::log(2 * std::acos(-1.0)) -
                                   StirlingRemainder(k);
    if (std::log(v * inverse_alpha / (a / (gap * gap) + b)) <= log_probability) {
      return static_cast<int64_t>(k);
    }
  }
}

}  // namespace

double Uniform(Generator& random) {
  return (static_cast<double>(random.Next64() >> 12) + 0.5) * 0x1p-52;
}

int64_t Binomial(int64_t trials, double probability, Generator& random) {
  TOMBOLA_CHECK(trials >= 0 && probability >= 0 && probability <= 1);
  if (probability > 0.5) return trials - Binomial(trials, 1 - probability, random);
  if (trials == 0 || probability == 0) return 0;
  return static_cast<double>(trials) * probability < kSmallMean
             ? BinomialByGaps(trials, probability, random)
             : BinomialByRejection(trials, probability, random);
}

int64_t Poisson(double mean, Generator& random) {
  TOMBOLA_CHECK(mean >= 0 && mean <= 0x1p52);
  return mean < kSmallMean ? PoissonByGaps(mean, random) : PoissonByRejection(mean, random);
}

int64_t NegativeBinomial(double shape, double success, Generator& random) {
  std::gamma_distribution<double> mean(shape, success / (1 - success));
  return Poisson(mean(random), random);
}

double Laplace(double scale, Generator& random) {
  const double magnitude = -scale * std::log(Uniform(random));
  return random.Next64() >> 63 == 0 ? magnitude : -magnitude;
}

std::vector<int64_t> Multinomial(int64_t draws, absl::Span<const double> weights,
                                 Generator& random) {
  // Each value takes its share of what the values before it left. Sums from the end, so that the
  // last shares are not differences of nearly equal numbers.
  std::vector<double> rest(weights.size() + 1, 0);
  for (size_t v = weights.size(); v-- > 0;) rest[v] = rest[v + 1] + weights[v];
  std::vector<int64_t> counts(weights.size(), 0);
  for (size_t v = 0; v < weights.size() && draws > 0; ++v) {
    const double share = rest[v + 1] == 0 ? 1 : std::min(1.0, weights[v] / rest[v]);
    counts[v] = Binomial(draws, share, random);
    draws -= counts[v];
  }
  return counts;
}

}  // namespace tombola::simulation
