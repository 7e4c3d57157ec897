#include "common/accounting/composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tombola::accounting {
namespace {

TEST(GroupPrivacy, OneSubmissionChangesNothing) {
  const EpsilonDelta one = GroupPrivacy({0.7, 1e-6}, 1);
  EXPECT_EQ(one.epsilon, 0.7);
  EXPECT_EQ(one.delta, 1e-6);
}

TEST(GroupPrivacy, IsTheGeometricSum) {
  const double e = std::exp(0.5);
  const EpsilonDelta three = GroupPrivacy({0.5, 1e-6}, 3);
  EXPECT_DOUBLE_EQ(three.epsilon, 1.5);
  EXPECT_NEAR(three.delta, 1e-6 * (1 + e + e * e), 1e-17);
}

TEST(GroupPrivacy, CoversSubmissionsSpreadOverBatches) {
  for (int k = 2; k <= 6; ++k) {
    for (int in_first = 1; in_first < k; ++in_first) {
      const EpsilonDelta together = GroupPrivacy({0.3, 1e-7}, k);
      const EpsilonDelta first = GroupPrivacy({0.3, 1e-7}, in_first);
      const EpsilonDelta second = GroupPrivacy({0.3, 1e-7}, k - in_first);
      EXPECT_LE(first.delta + second.delta, together.delta);
    }
  }
}

TEST(GroupPrivacy, DeltaIsAtMostOne) { EXPECT_EQ(GroupPrivacy({2, 0.1}, 100).delta, 1.0); }

// The pair that is the worst (epsilon, delta)-private mechanism, as (P, Q) of each outcome, and its
// product with itself, outcome by outcome.
using Pair = std::vector<std::pair<double, double>>;

Pair WorstPair(const EpsilonDelta& single) {
  const double likely =
      (1 - single.delta) * std::exp(single.epsilon) / (1 + std::exp(single.epsilon));
  const double rest = (1 - single.delta) / (1 + std::exp(single.epsilon));
  return {{single.delta, 0}, {likely, rest}, {rest, likely}, {0, single.delta}};
}

Pair Product(const Pair& a, const Pair& b) {
  Pair product;
  for (const auto& x : a) {
    for (const auto& y : b) product.push_back({x.first * y.first, x.second * y.second});
  }
  return product;
}

double HockeyStick(const Pair& pair, double epsilon) {
  double sum = 0;
  for (const auto& [p, q] : pair) sum += std::max(0.0, p - std::exp(epsilon) * q);
  return sum;
}

TEST(ComposedEpsilon, OneUseIsItself) {
  EXPECT_EQ(*ComposedEpsilon({0.7, 1e-6}, 1, 1e-6), 0.7);
  EXPECT_EQ(*ComposedEpsilon({0.7, 0}, 1, 0), 0.7);
}

TEST(ComposedEpsilon, IsTheSmallestThatTheWorstPairMeets) {
  const EpsilonDelta single{0.4, 1e-3};
  Pair pair = {{1, 1}};
  for (int uses = 1; uses <= 7; ++uses) {
    pair = Product(pair, WorstPair(single));
    for (const double total : {0.01, 0.05, 0.2}) {
      const double epsilon = *ComposedEpsilon(single, uses, total);
      EXPECT_LE(HockeyStick(pair, epsilon), total) << uses;
      if (epsilon == 0) continue;
      EXPECT_GT(HockeyStick(pair, epsilon * (1 - 1e-8)), total) << uses;
    }
  }
}

TEST(ComposedEpsilon, IsNeverWorseThanTheSum) {
  for (const double epsilon : {0.01, 0.5, 3.0}) {
    for (const int uses : {1, 2, 3, 10, 1000}) {
      const absl::StatusOr<double> all = ComposedEpsilon({epsilon, 1e-9}, uses, uses * 1e-9);
      ASSERT_TRUE(all.ok()) << all.status();
      EXPECT_LE(*all, uses * epsilon);
    }
  }
  EXPECT_LT(*ComposedEpsilon({0.1, 0}, 1000, 1e-6), 22);  // the sum is 100
}

TEST(ComposedEpsilon, IsZeroWhereTheDeltaAllowsIt) {
  EXPECT_EQ(*ComposedEpsilon({0.1, 0}, 1, 0.5), 0);
}

TEST(ComposedEpsilon, SaysWhatIsOutOfRange) {
  EXPECT_EQ(ComposedEpsilon({0.1, 1e-6}, 3, 2e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ComposedEpsilon({0.1, 1e-6}, 0, 0.1).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ComposedEpsilon({0, 1e-6}, 1, 0.1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ComposedEpsilon({0.1, 1}, 1, 0.1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ComposedEpsilon({0.1, 0}, 1, 1).status().code(), absl::StatusCode::kInvalidArgument);
}

// Budgets so large that a single wrong answer has a probability near the smallest double: all
// answers are right with nearly all the mass.
TEST(ComposedEpsilon, SurvivesProbabilitiesThatUnderflow) {
  // The delta at e is 1 - e^(e - 4 * 300).
  EXPECT_NEAR(*ComposedEpsilon({.epsilon = 300, .delta = 0}, 4, 0.5), 1200 - std::log(2), 1e-6);
}

}  // namespace
}  // namespace tombola::accounting
