#include "common/accounting/composition.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace tombola::accounting
