#include "common/stream/k_ary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace tombola::stream {
namespace {

int64_t PowerOf(int64_t k, int exponent) {
  return exponent == 0 ? 1 : k * PowerOf(k, exponent - 1);
}

TEST(KAryTest, DigitsAreOfTheNumber) {
  for (const KAry tree : {KAry{3, 5}, KAry{13, 2}, KAry{49, 1}}) {
    for (int64_t t = 0; t <= (PowerOf(tree.k, tree.h) - 1) / 2; ++t) {
      int64_t sum = 0;
      for (int level = 0; level < tree.h; ++level) {
        const int64_t digit = DigitOf(tree, t, level);
        EXPECT_LE(std::abs(digit), (tree.k - 1) / 2);
        sum += digit * PowerOf(tree.k, level);
      }
      EXPECT_EQ(sum, t);
    }
  }
}

TEST(KAryTest, CountsTheBlocksOfTotals) {
  for (const KAry tree : {KAry{3, 5}, KAry{5, 3}, KAry{49, 1}}) {
    for (const int64_t periods : {1, 2, 7, 24}) {
      const std::vector<double> means = MeanBlocks(tree, periods);
      for (int level = 0; level < tree.h; ++level) {
        double sum = 0;
        for (int64_t t = 1; t <= periods; ++t) {
          sum += static_cast<double>(std::abs(DigitOf(tree, t, level)));
        }
        EXPECT_DOUBLE_EQ(means[static_cast<size_t>(level)], sum / static_cast<double>(periods));
      }
    }
  }
}

// The variances are those of continuous Laplace noise at epsilon 1.
TEST(KAryTest, IsTheTreeOfTheReference) {
  struct Case {
    int64_t periods;
    KAry tree;
    double mean, max, share;
  };
  const std::vector<Case> cases = {
      {24, {49, 1}, 25.0, 48.0, 1.0},
      {52, {13, 2}, 41.42459042898025, 78.941895841085, 0.5383018886132639},
      {365, {33, 2}, 108.61944755724815, 213.5137449353412, 0.5326093539146147},
      {1000, {13, 3}, 170.2419711111996, 324.2129949079032, 0.33617684011710963},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(BestKAry(c.periods), c.tree);
    const std::vector<double> shares = LevelShares(c.tree, c.periods);
    EXPECT_NEAR(shares[0], c.share, 1e-9);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
    double sum = 0, max = 0;
    for (int64_t t = 1; t <= c.periods; ++t) {
      double variance = 0;
      for (int level = 0; level < c.tree.h; ++level) {
        const double share = shares[static_cast<size_t>(level)];
        variance += static_cast<double>(std::abs(DigitOf(c.tree, t, level))) * 2 / (share * share);
      }
      sum += variance;
      max = std::max(max, variance);
    }
    EXPECT_NEAR(sum / static_cast<double>(c.periods) / c.mean, 1, 1e-9);
    EXPECT_NEAR(max / c.max, 1, 1e-9);
  }
}

}  // namespace
}  // namespace tombola::stream
