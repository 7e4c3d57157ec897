#include "common/accounting/binomial_excess.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

// Term by term from fresh probabilities, which binomial_test checks.
double Direct(const Binomial& law, double threshold) {
  long double sum = 0;
  for (int64_t k = static_cast<int64_t>(std::floor(threshold)) + 1; k <= law.trials; ++k) {
    sum += static_cast<long double>(BinomialPmf(law, k)) * (static_cast<double>(k) - threshold);
  }
  return static_cast<double>(sum);
}

// Both sides of the mean, far tails, steps of less and of more than one point.
TEST(BinomialExcessTest, ADescendingWalkAgreesWithTheSum) {
  for (const double success : {0.03125, 0.5, 0.96875}) {
    for (const double slope : {0.3, 1.0, 1.7, 40.0}) {
      BinomialExcess excess(success, 1 - success);
      for (int64_t trials = 400; trials <= 900; ++trials) {
        const double threshold = 880 - slope * static_cast<double>(trials - 400);
        if (threshold < 0) break;
        const double expected = Direct({trials, success, 1 - success}, threshold);
        const double actual = excess.At(trials, threshold);
        if (expected < 1e-250) {
          EXPECT_LT(actual, 1e-249);
          continue;
        }
        ASSERT_NEAR(actual / expected, 1, 1e-11)
            << "success " << success << " slope " << slope << " trials " << trials;
      }
    }
  }
}

TEST(BinomialExcessTest, AnswersQueriesInAnyOrder) {
  BinomialExcess excess(0.25, 0.75);
  for (const int64_t trials : {50, 40, 60, 55, 55, 1000, 3}) {
    for (const double threshold : {0.0, 2.5, 30.0, 2.75, 11.0}) {
      const double expected = Direct({trials, 0.25, 0.75}, threshold);
      EXPECT_NEAR(excess.At(trials, threshold), expected, 1e-12 * expected);
    }
  }
}

TEST(BinomialExcessTest, IsZeroWhereTheThresholdCannotBeExceeded) {
  BinomialExcess excess(0.25, 0.75);
  EXPECT_EQ(excess.At(10, 10), 0);
  EXPECT_EQ(excess.At(10, 12.5), 0);
  EXPECT_EQ(excess.At(0, 0), 0);
}

TEST(BinomialExcessTest, HandlesCertainSuccess) {
  BinomialExcess excess(1, 0);
  EXPECT_EQ(excess.At(10, 7.25), 2.75);
  EXPECT_EQ(excess.At(11, 3), 8);
  EXPECT_EQ(excess.At(11, 11), 0);
}

// A walk of 20,000 steps at a mean of 250,000: what rounding adds up to.
TEST(BinomialExcessTest, StaysExactOverALongWalk) {
  const double success = 0.25;
  BinomialExcess walked(success, 1 - success);
  double last = 0;
  for (int64_t step = 0; step <= 10000; ++step) {
    last = walked.At(1000000 + step, 253000.0 - 0.6 * static_cast<double>(step));
  }
  BinomialExcess fresh(success, 1 - success);
  EXPECT_NEAR(last / fresh.At(1010000, 247000), 1, 1e-11);
}

}  // namespace
}  // namespace tombola::accounting
