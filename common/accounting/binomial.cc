#include "common/accounting/binomial.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tombola::accounting {
namespace {

// A sum stops when the next term is below this share of it: the terms fall at least geometrically,
// so what is left is far below one unit in the last place.
constexpr double kNegligibleTerm = 1e-22;

// ln n! - ln(sqrt(2 pi n) (n/e)^n), the error of Stirling's formula (Loader, "Fast and accurate
// computation of binomial probabilities", 2000).
double StirlingError(int64_t n) {
  static constexpr std::array<double, 16> kSmall = {
      0,
      0.08106146679532725822,
      0.041340695955409294094,
      0.027677925684998339149,
      0.020790672103765093112,
      0.016644691189821192163,
      0.013876128823070747999,
      0.011896709945891770095,
      0.010411265261972096497,
      0.0092554621827127329177,
      0.0083305634333628712565,
      0.007573675487951840795,
      0.0069428401072095298657,
      0.0064089941880042070684,
      0.0059513701127588477356,
      0.005554733551962801371,
  };
  if (n < static_cast<int64_t>(kSmall.size())) return kSmall[static_cast<size_t>(n)];
  const double x = static_cast<double>(n);
  const double y = 1 / (x * x);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - y / 1188) * y) * y) * y) / x;
}

// x ln(x / mean) + mean - x, the deviance part bd0 of Loader (2000), where mean = n * share. The
// rounding of that product is carried along: far out it would cost (x - mean) units.
double Deviance(int64_t count, int64_t n, double share) {
  const double x = static_cast<double>(count);
  const double trials = static_cast<double>(n);
  const double mean = trials * share;
  const double rounded_off = std::fma(trials, share, -mean);
  const double carried = rounded_off * (mean - x) / mean;
  const double difference = x - mean;
  if (std::abs(difference) >= 0.1 * (x + mean))
    return x * std::log(x / mean) - difference + carried;
  const double v = difference / (x + mean);
  double sum = difference * v;
  double power = 2 * x * v;
  for (int odd = 3;; odd += 2) {
    power *= v * v;
    const double next = sum + power / odd;
    if (next == sum) return next + carried;
    sum = next;
  }
}

// pmf(k) + pmf(k-1) + ..., for k at or below the mean.
double SumDown(const Binomial& law, int64_t k) {
  double term = BinomialPmf(law, k);
  double sum = term;
  for (; k > 0 && term > kNegligibleTerm * sum; --k) {
    term = PmfOneBelow(law, k, term);
    sum += term;
  }
  return sum;
}

// pmf(k) + pmf(k+1) + ..., for k at or above the mean.
double SumUp(const Binomial& law, int64_t k) {
  double term = BinomialPmf(law, k);
  double sum = term;
  for (; k < law.trials && term > kNegligibleTerm * sum; ++k) {
    term = PmfOneAbove(law, k, term);
    sum += term;
  }
  return sum;
}

}  // namespace

double BinomialPmf(const Binomial& law, int64_t k) {
  const int64_t n = law.trials;
  if (k < 0 || k > n) return 0;
  if (law.success <= 0) return k == 0 ? 1 : 0;
  if (law.failure <= 0) return k == n ? 1 : 0;
  const double trials = static_cast<double>(n);
  const bool rare = law.success <= 0.5;
  if (k == 0) return std::exp(trials * (rare ? std::log1p(-law.success) : std::log(law.failure)));
  if (k == n) return std::exp(trials * (rare ? std::log(law.success) : std::log1p(-law.failure)));
  const double exponent = StirlingError(n) - StirlingError(k) - StirlingError(n - k) -
                          Deviance(k, n, law.success) - Deviance(n - k, n, law.failure);
  const double successes = static_cast<double>(k);
  const double failures = static_cast<double>(n - k);
  return std::exp(exponent) * std::sqrt(trials / (2 * M_PI * successes * failures));
}

double BinomialLowerTail(const Binomial& law, int64_t k) {
  if (k < 0) return 0;
  if (k >= law.trials) return 1;
  if (static_cast<double>(k) < law.mean()) return SumDown(law, k);
  return std::max(0.0, 1 - SumUp(law, k + 1));
}

double BinomialUpperTail(const Binomial& law, int64_t k) {
  if (k <= 0) return 1;
  if (k > law.trials) return 0;
  if (static_cast<double>(k) > law.mean()) return SumUp(law, k);
  return std::max(0.0, 1 - SumDown(law, k - 1));
}

int64_t BinomialLowPoint(const Binomial& law, double nats) {
  const double bernstein = nats / 3 + std::sqrt(nats * nats / 9 + 2 * law.variance() * nats);
  const double chernoff = std::sqrt(2 * law.mean() * nats);
  const double point = std::floor(law.mean() - std::min(bernstein, chernoff));
  return static_cast<int64_t>(std::max(0.0, point));
}

int64_t BinomialHighPoint(const Binomial& law, double nats) {
  const double bernstein = nats / 3 + std::sqrt(nats * nats / 9 + 2 * law.variance() * nats);
  const double point = std::ceil(law.mean() + bernstein);
  return static_cast<int64_t>(std::min(static_cast<double>(law.trials), point));
}

}  // namespace tombola::accounting
