#include "common/mechanism/aue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/mechanism/law_testing.h"
#include "tests/support/scripted_random.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

uint64_t Coin(double gamma) { return static_cast<uint64_t>(std::ceil(std::ldexp(gamma, 64))); }

AueOptions Good() {
  return {.coin_threshold = Coin(0.1), .honest = 100, .max_dummies = 10, .domain_size = 20};
}

Aue Make(const AueOptions& options) { return Aue::Create(options).value(); }

void ExpectRefused(const AueOptions& options, const std::string& field, const std::string& bound) {
  const absl::Status status = Aue::Create(options).status();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_THAT(std::string(status.message()), HasSubstr(field));
  EXPECT_THAT(std::string(status.message()), HasSubstr(bound));
}

// Which values one device names besides its own, given that they are `max` at most.
Law DummiesOfADevice(int domain, double gamma, int max) {
  Law law;
  for (uint32_t subset = 0; subset < 1u << domain; ++subset) {
    CountVector named(domain, 0);
    for (int v = 0; v < domain; ++v) named[v] = subset >> v & 1;
    const int size = std::popcount(subset);
    law[named] = std::pow(gamma, size) * std::pow(1 - gamma, domain - size);
  }
  return Given(law, max);
}

TEST(AueTest, RefusesEachFieldOutOfItsBounds) {
  for (const uint64_t coin : {uint64_t{0}, (uint64_t{1} << 63) + 1, ~uint64_t{0}}) {
    AueOptions bad = Good();
    bad.coin_threshold = coin;
    ExpectRefused(bad, "aue.coin_threshold", "[1, 2^63]");
  }
  for (const int64_t honest : {int64_t{0}, int64_t{-5}, (int64_t{1} << 40) + 1}) {
    AueOptions bad = Good();
    bad.honest = honest;
    ExpectRefused(bad, "aue.honest", "[1, 2^40]");
  }
  for (const int64_t max : {0, -1, 65535}) {
    AueOptions bad = Good();
    bad.max_dummies = max;
    ExpectRefused(bad, "aue.max_dummies", "[1, 65534]");
  }
  AueOptions bad = Good();
  bad.domain_size = 1;
  ExpectRefused(bad, "domain.size", "[2, 2^24]");
  // A device would hardly ever be done.
  bad = Good();
  bad.domain_size = 1000;
  ExpectRefused(bad, "aue.max_dummies", "at most 1/2");
}

// Values of an independent implementation.
TEST(AueTest, DeltaMatchesTheReference) {
  const Aue few =
      Make({.coin_threshold = Coin(0.1), .honest = 1000, .max_dummies = 2, .domain_size = 2});
  EXPECT_NEAR(*few.Delta(1000, 0.5) / 2.4839553825330818e-05, 1, 1e-8);
  const Aue many =
      Make({.coin_threshold = Coin(0.3), .honest = 1000000, .max_dummies = 2, .domain_size = 2});
  EXPECT_NEAR(*many.Delta(1000000, 0.01) / 4.943037100724769e-07, 1, 1e-8);
  EXPECT_NEAR(*many.parameters().dummies, 300000, 1e-6);
}

// The law of three devices' messages on three values written out, with and without caps that bite.
TEST(AueTest, DeltaIsNeverBelowTheTruth) {
  for (const double gamma : {0.02, 0.3, 0.5}) {
    for (const int max : {1, 2, 3}) {
      const absl::StatusOr<Aue> aue = Aue::Create(
          {.coin_threshold = Coin(gamma), .honest = 3, .max_dummies = max, .domain_size = 3});
      if (!aue.ok()) continue;  // fair coins and at most one dummy
      const Law device = DummiesOfADevice(3, gamma, max);
      const Law others = OneMoreAt(OneMoreAt(Sum(Sum(device, device), device), 0), 2);
      const Law p = OneMoreAt(others, 0);
      const Law q = OneMoreAt(others, 1);
      for (const double epsilon : {0.01, 0.2, 0.5, 1.0, 2.0, 4.0, 12.0}) {
        const double truth = std::max(HockeyStick(p, q, epsilon), HockeyStick(q, p, epsilon));
        EXPECT_GE(*aue->Delta(3, epsilon), truth) << gamma << " " << max << " " << epsilon;
        if (max == 3 && epsilon < 10) {
          EXPECT_LE(*aue->Delta(3, epsilon), truth * (1 + 2e-9)) << gamma << " " << epsilon;
        }
      }
    }
  }
}

TEST(AueTest, TheCapIsChargedForEveryDevice) {
  const Aue capped = Make(Good());
  AueOptions options = Good();
  options.max_dummies = 20;
  const Aue open = Make(options);
  EXPECT_EQ(AboveCap(20, options.coin_threshold, 20), 0);
  double above = 0;
  double p = std::pow(0.9, 20);
  for (int k = 0; k <= 20; ++k) {
    if (k > 10) above += p;
    p *= (20.0 - k) / (k + 1) / 9;
  }
  EXPECT_GE(AboveCap(20, options.coin_threshold, 10), above);
  EXPECT_NEAR(AboveCap(20, options.coin_threshold, 10) / above, 1, 1e-8);
  EXPECT_NEAR(*capped.Delta(100, 0.5) - *open.Delta(100, 0.5), (1 + std::exp(0.5)) * 100 * above,
              1e-10);
}

TEST(AueTest, MoreSubmissionsChangeNothingAndFewerHideLess) {
  AueOptions options = Good();
  options.honest = 1000;
  options.max_dummies = 20;
  const Aue aue = Make(options);
  EXPECT_EQ(*aue.Delta(100000, 0.5), *aue.Delta(1000, 0.5));
  EXPECT_GT(*aue.Delta(900, 0.5), 1.05 * *aue.Delta(1000, 0.5));
  EXPECT_EQ(aue.Delta(0, 0.5).status().code(), absl::StatusCode::kInvalidArgument);
  // More coins than are tabulated are as good as those that are.
  options.honest = int64_t{1} << 40;
  EXPECT_LT(*Make(options).Delta(options.honest, 1e-4), 1e-4);
}

TEST(AueTest, EpsilonAndSmallestHonestMeetTheirTarget) {
  AueOptions options = Good();
  options.honest = 10000;
  options.max_dummies = 19;  // exceeded with probability 1e-20
  const Aue aue = Make(options);
  for (const double delta : {1e-3, 1e-6, 1e-9}) {
    const double epsilon = aue.EpsilonAt(10000, delta).value();
    EXPECT_LE(*aue.Delta(10000, epsilon), delta);
    EXPECT_GT(*aue.Delta(10000, epsilon * (1 - 1e-5)), delta);
    EXPECT_EQ(*aue.SmallestHonest(epsilon, delta), 10000);
    EXPECT_EQ(aue.SmallestHonest(epsilon * 0.9, delta).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(aue.EpsilonAt(10000, 1e-17).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(std::isinf(aue.local_epsilon()));
}

// The values of one submission's noise.
std::vector<uint32_t> Dummies(const Aue& aue, RandomSource& random) {
  std::vector<SignedReport> noise = {{7}};
  aue.DrawNoise(random, &noise);
  std::vector<uint32_t> values;
  for (const SignedReport& report : noise) {
    EXPECT_GT(report.change, 0);
    values.push_back(static_cast<uint32_t>(report.change - 1));
  }
  return values;
}

TEST(AueTest, DrawsCoinsBitByBit) {
  // gamma = 3/8: one halving, and a candidate is kept if 64 bits are below 3/4 2^64.
  const Aue aue =
      Make({.coin_threshold = uint64_t{3} << 61, .honest = 1, .max_dummies = 3, .domain_size = 3});
  constexpr uint64_t kKept = (uint64_t{3} << 62) - 1;
  ScriptedRandom both({0b11101, kKept, 0});
  EXPECT_THAT(Dummies(aue, both), ElementsAre(0, 2));
  ScriptedRandom one({0b101, kKept + 1, kKept});
  EXPECT_THAT(Dummies(aue, one), ElementsAre(2));
  ScriptedRandom none({0b11000});
  EXPECT_THAT(Dummies(aue, none), IsEmpty());
  // gamma = 1/4 and a cap of one: two halvings, always kept, and drawn again if there are two.
  const Aue capped =
      Make({.coin_threshold = uint64_t{1} << 62, .honest = 1, .max_dummies = 1, .domain_size = 2});
  ScriptedRandom again({0b11, 0b111, 5, ~uint64_t{0}, 0b110, 0b10, 9});
  EXPECT_THAT(Dummies(capped, again), ElementsAre(1));
}

// Fails by chance with probability 1.4e-11 for each case.
TEST(AueTest, DrawsHaveTheCappedLaw) {
  SeededRandom random(23);
  constexpr int64_t kSamples = 100000;
  for (const double gamma : {0.07, 0.3, 0.5}) {
    for (const int max : {3, 5}) {
      const Aue aue =
          Make({.coin_threshold = Coin(gamma), .honest = 1, .max_dummies = max, .domain_size = 5});
      std::map<CountVector, int64_t> seen;
      for (int64_t i = 0; i < kSamples; ++i) {
        CountVector named(5, 0);
        for (const uint32_t v : Dummies(aue, random)) ++named.at(v);
        ++seen[named];
      }
      EXPECT_LT(ChiSquareExcess(seen, DummiesOfADevice(5, gamma, max), kSamples), 0) << gamma;
    }
  }
}

// 130 values, two full words and a rest. A value's count in 20000 draws is binomial; seven standard
// deviations and 10 more (for the rare coins, whose law is closer to Poisson) are exceeded with
// probability below 1e-10 each.
TEST(AueTest, EveryValueIsNamedAlike) {
  SeededRandom random(24);
  for (const double gamma : {0.4, 0.01, 0x1p-10, 0x1.3p-12}) {
    const Aue aue =
        Make({.coin_threshold = Coin(gamma), .honest = 1, .max_dummies = 130, .domain_size = 130});
    std::array<int, 130> named = {};
    for (int i = 0; i < 20000; ++i) {
      const std::vector<uint32_t> dummies = Dummies(aue, random);
      ASSERT_TRUE(std::is_sorted(dummies.begin(), dummies.end()));
      for (const uint32_t v : dummies) ++named.at(v);
    }
    const double mean = 20000 * gamma;
    double sum = 0;
    for (const int count : named) {
      EXPECT_NEAR(count, mean, 7 * std::sqrt(mean) + 10) << gamma;
      sum += count;
    }
    EXPECT_NEAR(sum, 130 * mean, 7 * std::sqrt(130 * mean) + 10) << gamma;
  }
}

TEST(AueTest, RareCoinsTakeFewWords) {
  const Aue aue =
      Make({.coin_threshold = 1, .honest = 1, .max_dummies = 10, .domain_size = 64 * 1000});
  SeededRandom random(25);
  EXPECT_THAT(Dummies(aue, random), IsEmpty());
  // The words for 64 candidates to vanish: 7.4 on average, standard deviation below 2. 10 standard
  // deviations of the sum of 1000 are 633.
  EXPECT_LT(random.draws(), 8100);
}

TEST(AueTest, CountsAndErrorsFollowTheLaw) {
  const Aue aue = Make(Good());
  EXPECT_NEAR(aue.expected_reports_per_submission(), 3, 1e-12);
  EXPECT_EQ(aue.max_reports_per_submission(), 11);
  EXPECT_EQ(aue.report_bytes(), 5u);
  const CountModel model = aue.count_model();
  EXPECT_NEAR(model.noise_mean, 0.1, 1e-15);
  EXPECT_NEAR(model.noise_variance, 0.09, 1e-15);
  EXPECT_NEAR(model.noise_third, 0.072, 1e-15);
  EXPECT_NEAR(aue.PredictedMse(500), 0.09 / 500, 1e-15);
  SeededRandom random(26);
  std::array<uint8_t, ValueReport::kBytes> bytes;
  aue.DrawFake(random, absl::MakeSpan(bytes));
  ValueReport report;
  ASSERT_TRUE(Read(bytes, &report));
  EXPECT_LT(report.value, 20u);
}

}  // namespace
}  // namespace tombola::mechanism
