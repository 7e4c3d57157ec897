#include "common/stream/k_ary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "common/base/check.h"
#include "common/stream/structure.h"

namespace tombola::stream {
namespace {

constexpr int kMostLevels = 14;  // of k = 3, for 2^20 periods
constexpr int64_t kMostTried = 256;

int64_t PowerOf(int64_t k, int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= k;
  return power;
}

// Added to t, it makes all digits those of the usual base k.
int64_t OffsetOf(const KAry& tree) { return (PowerOf(tree.k, tree.h) - 1) / 2; }

// The sum of |v - middle| over 0 <= v < end, end <= 2 middle + 1.
int64_t SumOfDistances(int64_t end, int64_t middle) {
  const int64_t below = std::min(end, middle);
  const int64_t above = std::max<int64_t>(0, end - middle - 1);
  return below * middle - below * (below - 1) / 2 + above * (above + 1) / 2;
}

// The sum of |usual digit - middle| over the numbers 0..end-1.
int64_t SumBelow(const KAry& tree, int64_t end, int level) {
  const int64_t middle = (tree.k - 1) / 2;
  const int64_t block = PowerOf(tree.k, level);
  const int64_t whole = end / (block * tree.k);
  const int64_t rest = end % (block * tree.k);
  const int64_t digit = rest / block;
  return whole * block * SumOfDistances(tree.k, middle) + block * SumOfDistances(digit, middle) +
         (rest % block) * std::abs(digit - middle);
}

// The mean variance in units of that of noise with the whole epsilon.
double MeanError(const KAry& tree, int64_t periods) {
  double roots = 0;
  for (const double blocks : MeanBlocks(tree, periods)) roots += std::cbrt(blocks);
  return roots * roots * roots;
}

}  // namespace

int64_t DigitOf(const KAry& tree, int64_t t, int level) {
  return (t + OffsetOf(tree)) / PowerOf(tree.k, level) % tree.k - (tree.k - 1) / 2;
}

std::vector<double> MeanBlocks(const KAry& tree, int64_t periods) {
  const int64_t offset = OffsetOf(tree);
  TOMBOLA_CHECK(periods >= 1 && periods <= offset);
  std::vector<double> means;
  for (int level = 0; level < tree.h; ++level) {
    const int64_t sum =
        SumBelow(tree, offset + periods + 1, level) - SumBelow(tree, offset + 1, level);
    means.push_back(static_cast<double>(sum) / static_cast<double>(periods));
  }
  return means;
}

std::vector<double> LevelShares(const KAry& tree, int64_t periods) {
  std::vector<double> shares = MeanBlocks(tree, periods);
  double sum = 0;
  for (double& share : shares) sum += share = std::cbrt(share);
  for (double& share : shares) share /= sum;
  return shares;
}

KAry BestKAry(int64_t periods) {
  TOMBOLA_CHECK(periods >= 1 && periods <= kMostPeriods);
  KAry best;
  double least = std::numeric_limits<double>::infinity();
  for (int h = 1; h <= kMostLevels; ++h) {
    // The least k that reaches so far, and some above it: the top digit is then small.
    int64_t k = 3;
    while (std::pow(static_cast<double>(k), h) < static_cast<double>(2 * periods + 1)) k += 2;
    for (int64_t tried = 0; tried < (h == 1 ? 1 : kMostTried); ++tried, k += 2) {
      if (std::pow(static_cast<double>(k), h) > 0x1p40) break;
      const double error = MeanError({k, h}, periods);
      if (error < least) {
        least = error;
        best = {k, h};
      }
    }
  }
  return best;
}

}  // namespace tombola::stream
