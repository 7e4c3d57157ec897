// What the survey of local differential privacy misprints about RAPPOR (docs/errata.md, section
// 24).
#include <gtest/gtest.h>

#include <cmath>

#include "common/accounting/rappor.h"

namespace tombola::lab {
namespace {

// Section 2.3: n answers of which `yes` are yes; the printed likelihood has n_{n1} as an exponent,
// which is not defined. With n - n1 its maximum is the printed estimate.
TEST(SurveyLikelihood, IsLargestAtItsEstimateWithTheOtherAnswers) {
  const double p = 0.75, n = 1000, yes = 400;
  const auto log_likelihood = [&](double share) {
    return yes * std::log(share * p + (1 - share) * (1 - p)) +
           (n - yes) * std::log((1 - share) * p + share * (1 - p));
  };
  const double printed = (p - 1) / (2 * p - 1) + yes / ((2 * p - 1) * n);
  EXPECT_NEAR(printed, 0.3, 1e-12);
  EXPECT_GT(log_likelihood(printed), log_likelihood(printed + 0.01));
  EXPECT_GT(log_likelihood(printed), log_likelihood(printed - 0.01));
  // The printed variance, in two parts, is the usual one.
  const double variance = (0.25 - (printed - 0.5) * (printed - 0.5)) / n +
                          (1 / (16 * (p - 0.5) * (p - 0.5)) - 0.25) / n;
  EXPECT_NEAR(variance, printed * (1 - printed) / n + p * (1 - p) / ((2 * p - 1) * (2 * p - 1) * n),
              1e-12);
}

// The proof of Theorem 2 prints (f/2)^b' (1 - f/2)^(1 - b') for the bits that are set: that is the
// law of those that are not, by the two lines above it. With either the bound is the same.
TEST(SurveyTheorem2, HasTheExponentsOfTheOtherBits) {
  const double f = 0.25;
  const auto printed = [&](int said) { return said == 1 ? f / 2 : 1 - f / 2; };
  const auto of_set_bit = [&](int said) { return said == 1 ? 1 - f / 2 : f / 2; };
  EXPECT_NE(printed(1), of_set_bit(1));
  EXPECT_EQ(printed(1), of_set_bit(0));
  const double worst = std::log(of_set_bit(1) / printed(1)) + std::log(printed(0) / of_set_bit(0));
  const accounting::Rappor one = {.f = f, .p = 0.5, .q = 0.75, .hashes = 1, .bits = 8};
  EXPECT_NEAR(accounting::LocalEpsilonOfMemo(one), worst, 1e-12);
}

// "The larger N, the smaller epsilon_infinity": the budget of n reports of one value grows with n,
// towards epsilon_infinity, which is the same for all.
TEST(SurveyTheorem3, BudgetsGrowWithReports) {
  const accounting::Rappor rappor = {.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128};
  double last = 0;
  for (int64_t reports = 1; reports <= 64; reports *= 2) {
    const double epsilon = accounting::LocalEpsilonOf(rappor, reports);
    EXPECT_GT(epsilon, last);
    EXPECT_LT(epsilon, accounting::LocalEpsilonOfMemo(rappor));
    last = epsilon;
  }
  // ln 3 is that of one bit at f = 1/2 without the second response; two hashes have four of them.
  EXPECT_NEAR(accounting::LocalEpsilonOfMemo(rappor), 4 * std::log(3.0), 1e-12);
}

}  // namespace
}  // namespace tombola::lab
