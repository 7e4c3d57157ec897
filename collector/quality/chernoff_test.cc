#include "collector/quality/chernoff.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/encode/test_mechanisms.h"
#include "tests/support/log_gamma.h"

namespace tombola::collector {
namespace {

// ln Pr[B >= x] of a binomial variable, by its terms.
double LogBinomialAbove(int trials, double p, int x) {
  double sum = 0;
  for (int k = x; k <= trials; ++k) {
    sum += std::exp(LogGamma(trials + 1.0) - LogGamma(k + 1.0) - LogGamma(trials - k + 1.0) +
                    k * std::log(p) + (trials - k) * std::log1p(-p));
  }
  return std::log(sum);
}

double LogPoissonAbove(double mean, int x) {
  double sum = 0;
  for (int k = x; k < x + 400; ++k) {
    sum += std::exp(k * std::log(mean) - mean - LogGamma(k + 1.0));
  }
  return std::log(sum);
}

TEST(ChernoffTest, IsABoundOfBinomialTailsAndNotFarFromThem) {
  for (const double p : {0.02, 0.3, 0.9}) {
    const double mean = 200 * p;
    for (int x = 1; x <= 200; ++x) {
      const double above = IndicatorsAbove(200, mean, x);
      const double below = IndicatorsBelow(200, mean, 200 - x);
      const double exact = LogBinomialAbove(200, p, x);
      EXPECT_LE(exact, -above + 1e-9) << p << " " << x;
      EXPECT_LE(LogBinomialAbove(200, 1 - p, x), -below + 1e-9) << p << " " << x;
      if (x > mean + 1 && std::isfinite(exact)) {
        EXPECT_GT(above, -exact - 5) << p << " " << x;
      }
    }
  }
}

TEST(ChernoffTest, WhatIsNotBeyondTheMeanIsNoSurprise) {
  EXPECT_EQ(IndicatorsAbove(100, 50, 50), 0);
  EXPECT_EQ(IndicatorsAbove(100, 50, 20), 0);
  EXPECT_EQ(IndicatorsBelow(100, 50, 70), 0);
  EXPECT_EQ(Bernstein(10, 1, 0), 0);
  EXPECT_EQ(Bernstein(10, 1, -5), 0);
}

TEST(ChernoffTest, WhatCannotBeIsInfinitelySurprising) {
  EXPECT_TRUE(std::isinf(IndicatorsAbove(100, 0, 1)));
  EXPECT_TRUE(std::isinf(IndicatorsBelow(100, 100, 99)));
}

TEST(ChernoffTest, TheSearchFindsTheBestExponent) {
  // Poisson of mean m: sup t x - m (e^t - 1) = x ln(x / m) - x + m.
  const auto poisson = [](double t) { return 50 * std::expm1(t); };
  for (const double x : {60.0, 100.0, 400.0}) {
    EXPECT_NEAR(Chernoff(poisson, x, 40), x * std::log(x / 50) - x + 50, 1e-6) << x;
  }
  EXPECT_NEAR(Chernoff(poisson, 20, -40), 20 * std::log(0.4) + 30, 1e-6);
  EXPECT_EQ(Chernoff(poisson, 40, 40), 0);
  EXPECT_EQ(Chernoff(poisson, 60, -40), 0);
}

TEST(ChernoffTest, BernsteinIsABoundOfPoissonTails) {
  for (int x = 51; x < 200; ++x) {
    EXPECT_LE(LogPoissonAbove(50, x), -Bernstein(50, 1, x - 50)) << x;
  }
}

// The derivative of ln E[e^(t N)] at 0 is the mean.
TEST(MessageLawTest, HasTheMeanThatTheMechanismStates) {
  int laws = 0;
  for (const auto& mechanism : client::EveryMechanism(12, 500)) {
    const auto law = mechanism->message_law();
    EXPECT_EQ(law == nullptr, mechanism->max_reports_per_submission() == 1) << mechanism->name();
    if (law == nullptr) continue;
    ++laws;
    constexpr double kStep = 1e-5;
    const double mean = (law->LogMgf(kStep) - law->LogMgf(-kStep)) / (2 * kStep);
    EXPECT_NEAR(mean / (mechanism->expected_reports_per_submission() - 1), 1, 1e-5)
        << mechanism->name();
    EXPECT_LT(law->Capped(), 1e-9) << mechanism->name();
    const auto noise =
        static_cast<int64_t>(1000 * (mechanism->expected_reports_per_submission() - 1));
    EXPECT_LT(NoiseAbove(*law, 1000, noise + 1), 0.1) << mechanism->name();
    EXPECT_LT(NoiseBelow(*law, 1000, noise - 1), 0.1) << mechanism->name();
    EXPECT_GT(NoiseAbove(*law, 1000, 2000 + 3 * noise), 20) << mechanism->name();
    EXPECT_GT(NoiseBelow(*law, 1000, 0), 15) << mechanism->name();
  }
  EXPECT_EQ(laws, 4);
}

}  // namespace
}  // namespace tombola::collector
