#include "common/accounting/noise_law.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "common/accounting/saddle_point.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double Mass(const NoiseLaw& law) { return std::accumulate(law.pmf.begin(), law.pmf.end(), 0.0); }

double Mean(const NoiseLaw& law) {
  double sum = 0;
  for (size_t i = 0; i < law.pmf.size(); ++i) sum += law.pmf[i] * static_cast<double>(i);
  return sum + static_cast<double>(law.low);
}

double Variance(const NoiseLaw& law) {
  const double mean = Mean(law);
  double sum = 0;
  for (size_t i = 0; i < law.pmf.size(); ++i) {
    sum += law.pmf[i] * std::pow(static_cast<double>(law.low) + static_cast<double>(i) - mean, 2);
  }
  return sum;
}

void ExpectLaw(const absl::StatusOr<NoiseLaw>& law, double mean, double variance) {
  ASSERT_TRUE(law.ok()) << law.status();
  EXPECT_NEAR(Mass(*law), 1, 1e-11);
  EXPECT_NEAR(Mean(*law) / mean, 1, 1e-10);
  EXPECT_NEAR(Variance(*law) / variance, 1, 1e-8);
  EXPECT_LE(law->below, 1e-40);
  EXPECT_LE(law->above, 1e-40);
  for (const double p : law->pmf) EXPECT_GT(p, 0);
}

// Gamma(x + 1) itself is good enough where it is small.
TEST(StirlingErrorTest, HoldsForRealNumbers) {
  for (const double x : {0.25, 0.5, 1.0, 1.7, 3.5, 9.99, 14.5, 15.5, 20.25}) {
    const double expected =
        std::log(std::tgamma(x + 1)) - (x + 0.5) * std::log(x) + x - std::log(2 * M_PI) / 2;
    EXPECT_NEAR(StirlingError(x), expected, 2e-14) << x;
  }
}

TEST(NoiseLawTest, HasTheMomentsOfItsName) {
  for (const double mean : {1e-12, 0.01, 1.0, 136.1, 2641.1, 3e6}) {
    ExpectLaw(PoissonNoise(mean), mean, mean);
  }
  for (const double success : {1e-6, 0.1, 0.5, 0.999}) {
    for (const int64_t trials : {1, 2, 1000, 1000000}) {
      const double mean = static_cast<double>(trials) * success;
      ExpectLaw(BinomialNoise(trials, success), mean, mean * (1 - success));
    }
  }
  for (const double success : {0.01, 0.75, 0.97, 0.999}) {
    for (const double shape : {1.0, 1.5, 14.8, 300.0}) {
      const double mean = shape * success / (1 - success);
      ExpectLaw(NegativeBinomialNoise(shape, success), mean, mean / (1 - success));
    }
  }
}

TEST(NoiseLawTest, HasTheProbabilitiesOfItsName) {
  const NoiseLaw poisson = *PoissonNoise(3.5);
  ASSERT_EQ(poisson.low, 0);
  const NoiseLaw negative = *NegativeBinomialNoise(2.5, 0.4);
  ASSERT_EQ(negative.low, 0);
  for (size_t k = 0; k < 20; ++k) {
    const double x = static_cast<double>(k);
    const double p = std::exp(-3.5 + x * std::log(3.5)) / std::tgamma(x + 1);
    EXPECT_NEAR(poisson.pmf[k] / p, 1, 1e-12) << k;
    const double q = std::tgamma(x + 2.5) / (std::tgamma(x + 1) * std::tgamma(2.5)) *
                     std::pow(0.4, x) * std::pow(0.6, 2.5);
    EXPECT_NEAR(negative.pmf[k] / q, 1, 1e-12) << k;
  }
}

TEST(NoiseLawTest, AddsAGeometric) {
  const NoiseLaw flood = *NegativeBinomialNoise(3, 0.9);
  const double rate = 0.4;
  const double q = std::exp(-rate);
  const NoiseLaw sum = PlusGeometric(flood, rate);
  EXPECT_NEAR(Mass(sum), 1, 1e-11);
  EXPECT_NEAR(Mean(sum), 27 + q / (1 - q), 1e-9);
  EXPECT_NEAR(Variance(sum), 270 + q / ((1 - q) * (1 - q)), 1e-6);
  for (const size_t k : {0, 1, 5, 40}) {
    double expected = 0;
    for (size_t i = 0; i <= k; ++i) {
      expected += flood.pmf[i] * (1 - q) * std::pow(q, static_cast<double>(k - i));
    }
    EXPECT_NEAR(sum.pmf[k] / expected, 1, 1e-12) << k;
  }
}

TEST(NoiseLawTest, NamesTheFieldThatIsOutOfRange) {
  for (const double mean : {0.0, -1.0, kNan}) {
    EXPECT_THAT(PoissonNoise(mean).status().message(), HasSubstr("mean"));
  }
  EXPECT_THAT(PoissonNoise(1e11).status().message(), HasSubstr("deviation"));
  EXPECT_THAT(BinomialNoise(0, 0.5).status().message(), HasSubstr("trials"));
  for (const double success : {0.0, 1.0, kNan}) {
    EXPECT_THAT(BinomialNoise(10, success).status().message(), HasSubstr("success"));
    EXPECT_THAT(NegativeBinomialNoise(2, success).status().message(), HasSubstr("success"));
  }
  for (const double shape : {0.99, 0.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(NegativeBinomialNoise(shape, 0.5).status().message(), HasSubstr("shape"));
  }
}

}  // namespace
}  // namespace tombola::accounting
