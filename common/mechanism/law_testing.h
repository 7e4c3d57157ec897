// For tests: laws of counts written out in full, and what can be asked of them.
#ifndef TOMBOLA_COMMON_MECHANISM_LAW_TESTING_H_
#define TOMBOLA_COMMON_MECHANISM_LAW_TESTING_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/base/check.h"

namespace tombola::mechanism {

// The probability of each vector of counts.
using CountVector = std::vector<int>;
using Law = std::map<CountVector, double>;

// The law of the sum of two independent vectors.
inline Law Sum(const Law& a, const Law& b) {
  Law sum;
  CountVector total;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) {
      total = x;
      for (size_t i = 0; i < total.size(); ++i) total[i] += y[i];
      sum[total] += p * q;
    }
  }
  return sum;
}

// The law of one more at `index`.
inline Law OneMoreAt(const Law& law, size_t index) {
  Law moved;
  for (const auto& [x, p] : law) {
    CountVector more = x;
    ++more[index];
    moved[more] = p;
  }
  return moved;
}

// The law given that the counts add up to `most` at most; normalised whatever was missing.
inline Law Given(const Law& law, int most) {
  Law given;
  double sum = 0;
  for (const auto& [x, p] : law) {
    int total = 0;
    for (const int count : x) total += count;
    if (total <= most) sum += (given[x] = p);
  }
  for (auto& [x, p] : given) p /= sum;
  return given;
}

// sup over S of P(S) - e^epsilon Q(S).
inline double HockeyStick(const Law& p, const Law& q, double epsilon) {
  double sum = 0;
  for (const auto& [x, mass] : p) {
    const auto other = q.find(x);
    sum += std::max(0.0, mass - std::exp(epsilon) * (other == q.end() ? 0 : other->second));
  }
  return sum;
}

// Pearson's statistic less its bound k + 2 sqrt(k x) + 2 x for k degrees of freedom and x = 25,
// which a chi-square variable exceeds with probability at most e^-25 = 1.4e-11 (Laurent and
// Massart, "Adaptive estimation of a quadratic functional by model selection", 2000, Lemma 1).
// Cells of which fewer than 20 are expected are put together, so that the statistic is close to
// chi-square.
inline double ChiSquareExcess(const std::map<CountVector, int64_t>& seen, const Law& law,
                              int64_t samples) {
  constexpr double kNats = 25;
  const double n = static_cast<double>(samples);
  double statistic = 0;
  double rest_expected = n;
  double rest_seen = n;
  int cells = 0;
  for (const auto& [x, p] : law) {
    if (p * n < 20) continue;
    const auto found = seen.find(x);
    const double count = found == seen.end() ? 0 : static_cast<double>(found->second);
    statistic += (count - p * n) * (count - p * n) / (p * n);
    rest_expected -= p * n;
    rest_seen -= count;
    ++cells;
  }
  TOMBOLA_CHECK(cells >= 2);
  if (rest_expected >= 20) {
    statistic += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
    ++cells;
  }
  const double degrees = cells - 1;
  return statistic - (degrees + 2 * std::sqrt(degrees * kNats) + 2 * kNats);
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LAW_TESTING_H_
