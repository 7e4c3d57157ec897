#include "common/mechanism/dummies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/mechanism/law_testing.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kOne = uint64_t{1} << kRateBits;

Dummies Make(const DummyOptions& options) { return Dummies::Create(options, "").value(); }

// Pr[min(X, max) = k] for a Poisson X.
std::vector<double> Capped(double mean, int max) {
  std::vector<double> law(max + 1, 0.0);
  double p = std::exp(-mean);
  double left = 1;
  for (int k = 0; k < max; ++k) {
    law[k] = p;
    left -= p;
    p *= mean / (k + 1);
  }
  law[max] = left;
  return law;
}

void ExpectRefused(const DummyOptions& options, const std::string& field,
                   const std::string& bound) {
  const absl::Status status = Dummies::Create(options, "mix_dump.dummies.").status();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("mix_dump.dummies." + field + " is "));
  EXPECT_THAT(std::string(status.message()), HasSubstr(bound));
}

TEST(DummiesTest, RefusesEachFieldOutOfItsBounds) {
  const DummyOptions good{.rate = kOne, .honest = 10, .max = 20};
  for (const uint64_t rate : {uint64_t{0}, (uint64_t{1} << 54) + 1}) {
    DummyOptions bad = good;
    bad.rate = rate;
    ExpectRefused(bad, "rate", "[1, 2^54]");
  }
  for (const int64_t honest : {int64_t{0}, int64_t{-1}, (int64_t{1} << 40) + 1}) {
    DummyOptions bad = good;
    bad.honest = honest;
    ExpectRefused(bad, "honest", "[1, 2^40]");
  }
  for (const int64_t max : {0, -1, 65535}) {
    DummyOptions bad = good;
    bad.max = max;
    ExpectRefused(bad, "max", "[1, 65534]");
  }
  EXPECT_TRUE(Dummies::Create({1, 1, 1}, "").ok());
  EXPECT_TRUE(Dummies::Create({uint64_t{1} << 54, int64_t{1} << 40, 65534}, "").ok());
}

TEST(DummiesTest, MomentsIncludeTheCap) {
  for (const int max : {1, 2, 5, 40}) {
    const Dummies dummies = Make({.rate = 5 * kOne / 2, .honest = 10, .max = max});
    const std::vector<double> law = Capped(2.5, max);
    double mean = 0;
    double square = 0;
    for (int k = 0; k <= max; ++k) {
      mean += k * law[k];
      square += k * k * law[k];
    }
    EXPECT_NEAR(dummies.mean(), mean, 1e-13) << max;
    EXPECT_NEAR(dummies.variance(), square - mean * mean, 1e-12) << max;
  }
  const Dummies many = Make({.rate = 16384 * kOne, .honest = 1, .max = 65534});
  EXPECT_NEAR(many.mean() / 16384, 1, 1e-12);
  EXPECT_NEAR(many.variance() / 16384, 1, 1e-9);
}

// Fails by chance with probability 1.4e-11 for each cap.
TEST(DummiesTest, DrawsHaveTheCappedLaw) {
  SeededRandom random(21);
  constexpr int64_t kSamples = 100000;
  for (const int max : {2, 5, 40}) {
    const Dummies dummies = Make({.rate = 5 * kOne / 2, .honest = 10, .max = max});
    std::map<CountVector, int64_t> seen;
    for (int64_t i = 0; i < kSamples; ++i) ++seen[{static_cast<int>(dummies.Draw(random))}];
    Law law;
    const std::vector<double> capped = Capped(2.5, max);
    for (int k = 0; k <= max; ++k) law[{k}] = capped[k];
    EXPECT_LT(ChiSquareExcess(seen, law, kSamples), 0) << max;
    EXPECT_LE(seen.rbegin()->first[0], max);
  }
}

TEST(DummiesTest, ChargesTheCapAndTheTable) {
  const Dummies capped = Make({.rate = 5 * kOne / 2, .honest = 100, .max = 5});
  double above = 1;
  double p = std::exp(-2.5);
  for (int k = 0; k <= 5; ++k) {
    above -= p;
    p *= 2.5 / (k + 1);
  }
  EXPECT_NEAR(capped.Charge(1), above, 1e-14);
  EXPECT_NEAR(capped.Charge(10), 10 * above, 1e-13);
  EXPECT_EQ(capped.Charge(100), 1);
  const Dummies open = Make({.rate = kOne, .honest = 1 << 20, .max = 65534});
  EXPECT_NEAR(open.Charge(1 << 20) / std::ldexp(1, -60), 1, 1e-12);
  EXPECT_GE(open.Charge(1 << 20), std::ldexp(1, -60));
}

TEST(DummiesTest, TotalMeanIsRoundedDown) {
  const Dummies dummies = Make({.rate = kOne / 3, .honest = 1000003, .max = 100});
  const long double exact = std::ldexp(static_cast<long double>(kOne / 3) * 1000003, -kRateBits);
  EXPECT_LE(static_cast<long double>(dummies.TotalMean(1000003)), exact);
  EXPECT_NEAR(dummies.TotalMean(1000003) / static_cast<double>(exact), 1, 1e-14);
}

// The moments of the number of dummies that say one value, from the law written out.
TEST(DummiesTest, AddsTheMomentsOfOneValuesCount) {
  for (const int max : {3, 60}) {
    for (const int domain : {2, 5}) {
      const Dummies dummies = Make({.rate = 5 * kOne / 2, .honest = 10, .max = max});
      const std::vector<double> total = Capped(2.5, max);
      const double s = 1.0 / domain;
      double moments[4] = {0, 0, 0, 0};
      for (int n = 0; n <= max; ++n) {
        double binomial = std::pow(1 - s, n);
        for (int k = 0; k <= n; ++k) {
          for (int power = 0; power < 4; ++power) {
            moments[power] += total[n] * binomial * std::pow(k, power);
          }
          binomial *= (n - k) * s / ((k + 1) * (1 - s));
        }
      }
      CountModel model{.noise_mean = 1, .noise_variance = 2, .noise_third = 3};
      dummies.AddTo(model, domain);
      const double mean = moments[1];
      EXPECT_NEAR(model.noise_mean - 1, mean, 1e-12);
      EXPECT_NEAR(model.noise_variance - 2, moments[2] - mean * mean, 1e-12);
      const double third = moments[3] - 3 * mean * moments[2] + 2 * mean * mean * mean;
      // The third moment is that of a Poisson number, exact only if the cap does not matter.
      if (max == 60) {
        EXPECT_NEAR(model.noise_third - 3, third, 1e-11);
      }
    }
  }
}

}  // namespace
}  // namespace tombola::mechanism
