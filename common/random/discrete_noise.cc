#include "common/random/discrete_noise.h"

#include <bit>
#include <cmath>

#include "common/base/check.h"

namespace tombola {
namespace {

using Wide = unsigned __int128;

// Uniform on {0, ..., bound - 1}: as many bits as it takes, again if they are too many.
Wide WideBelow(Wide bound, RandomSource& random) {
  const auto high = static_cast<uint64_t>(bound >> 64);
  if (high == 0) return UniformBelow(static_cast<uint64_t>(bound), random);
  const uint64_t mask = ~uint64_t{0} >> std::countl_zero(high);
  while (true) {
    const Wide drawn = (Wide{random.Next64() & mask} << 64) | random.Next64();
    if (drawn < bound) return drawn;
  }
}

// True with probability e^-(numerator / denominator), numerator <= denominator (Algorithm 1): the
// number of the first trial that fails, the K-th of which succeeds with numerator/denominator/K, is
// odd.
bool BernoulliExpBelowOne(Wide numerator, Wide denominator, RandomSource& random) {
  uint64_t trial = 1;
  while (WideBelow(denominator, random) < numerator &&
         (trial == 1 || UniformBelow(trial, random) == 0)) {
    ++trial;
  }
  return (trial & 1) != 0;
}

// The same for any numerator.
bool BernoulliExp(Wide numerator, Wide denominator, RandomSource& random) {
  for (; numerator > denominator; numerator -= denominator) {
    if (!BernoulliExpBelowOne(1, 1, random)) return false;
  }
  return BernoulliExpBelowOne(numerator, denominator, random);
}

// Pr[X = k] proportional to exp(-|k| rate / scale), both at most 2^62 (Algorithm 2).
__int128 DrawLaplace(uint64_t rate, uint64_t scale, RandomSource& random) {
  while (true) {
    const uint64_t below = UniformBelow(scale, random);
    if (!BernoulliExpBelowOne(below, scale, random)) continue;
    Wide steps = 0;
    while (BernoulliExpBelowOne(1, 1, random)) ++steps;
    const Wide size = (below + scale * steps) / rate;
    const bool negative = (random.Next64() & 1) != 0;
    if (negative && size == 0) continue;
    const auto value = static_cast<__int128>(size);
    return negative ? -value : value;
  }
}

uint64_t RootBelow(uint64_t square) {
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

}  // namespace

int64_t DrawDiscreteLaplace(uint64_t units, RandomSource& random) {
  TOMBOLA_CHECK(units >= 1 && units <= kLargestRate);
  // Above 2^62 with a probability below e^-1000.
  return static_cast<int64_t>(DrawLaplace(units, kRateUnits, random));
}

double DiscreteLaplaceVariance(double rate) {
  const double half = std::sinh(rate / 2);
  return 1 / (2 * half * half);
}

// Algorithm 3: a Laplace draw of scale t, accepted with exp(-(|k| - variance/t)^2 / (2 variance)).
int64_t DrawDiscreteGaussian(uint64_t variance, RandomSource& random) {
  TOMBOLA_CHECK(variance >= 1 && variance <= kLargestGaussianVariance);
  const uint64_t t = RootBelow(variance) + 1;
  // Larger draws would be accepted with probabilities below e^-400, and overflow below.
  const Wide most = 64 * Wide{t};
  while (true) {
    const __int128 drawn = DrawLaplace(1, t, random);
    const Wide size = static_cast<Wide>(drawn < 0 ? -drawn : drawn);
    if (size > most) continue;
    const Wide at = size * t;  // < 2^63
    const Wide away = at > variance ? at - variance : variance - at;
    if (BernoulliExp(away * away, 2 * Wide{variance} * t * t, random)) {
      return static_cast<int64_t>(drawn);
    }
  }
}

}  // namespace tombola
