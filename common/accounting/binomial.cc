#include "common/accounting/binomial.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/saddle_point.h"

namespace tombola::accounting {
namespace {

// A sum stops when the next term is below this share of it: the terms fall at least geometrically,
// so what is left is far below one unit in the last place.
constexpr double kNegligibleTerm = 1e-22;

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
  const double successes = static_cast<double>(k);
  const double failures = static_cast<double>(n - k);
  const double exponent = StirlingError(trials) - StirlingError(successes) -
                          StirlingError(failures) - Deviance(successes, trials, law.success) -
                          Deviance(failures, trials, law.failure);
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
