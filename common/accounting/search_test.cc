#include "common/accounting/search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/accounting/gaussian.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double MustDelta(const Blanket& blanket, double epsilon) {
  const absl::StatusOr<double> delta = Delta(blanket, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return delta.value_or(kNan);
}

struct Target {
  int64_t honest;
  double range, epsilon, delta;
  double certified, impossible;  // kappa that 24 bins certify, kappa that no accountant can allow
};

constexpr Target kTargets[] = {{1000, 10, 0.5, 1e-6, 13.18095672344649, 13.329981205972675},
                               {10000, 100, 1.0, 1e-9, 220.587939718628, 221.57708287816803},
                               {600000, 200, 0.5, 1e-6, 4600.207372660662, 4610.23443725756},
                               {600000, 600, 0.1, 1e-6, 500.4514231491171, 500.593880163817},
                               {602325, 915, 0.5, 1e-6, 5239.797964469426, 5244.942863228918},
                               {1000000, 42178, 0.5, 1e-6, 22793.836777628843, 22797.499372577047}};

TEST(LargestKappaTest, TheSmallestEpsilonsGiveAPointAndNoOverflow) {
  for (const double epsilon : {1e-300, 1e-308, 5e-324}) {
    const auto kappa = LargestKappa({1000, 16, 0, 0}, epsilon, 1e-6);
    ASSERT_TRUE(kappa.ok()) << kappa.status();
    EXPECT_GT(*kappa, 0);
    EXPECT_LT(*kappa, 1);
  }
}

TEST(LargestKappaTest, LiesBetweenTheCertifiedAndTheImpossible) {
  for (const Target& t : kTargets) {
    const absl::StatusOr<double> kappa =
        LargestKappa({t.honest, t.range, 0, 0}, t.epsilon, t.delta);
    ASSERT_TRUE(kappa.ok());
    EXPECT_GE(*kappa, t.certified) << t.honest;
    EXPECT_LE(*kappa, t.impossible) << t.honest;
  }
}

TEST(LargestKappaTest, MeetsTheTargetAndIsTheLargest) {
  for (const Target& t : kTargets) {
    const absl::StatusOr<double> kappa =
        LargestKappa({t.honest, t.range, 0, 0}, t.epsilon, t.delta);
    ASSERT_TRUE(kappa.ok());
    EXPECT_LE(MustDelta({t.honest, t.range, GammaOf(t.range, *kappa), 0}, t.epsilon), t.delta);
    const double more = *kappa * 1.002;
    EXPECT_GT(MustDelta({t.honest, t.range, GammaOf(t.range, more), 0}, t.epsilon), t.delta);
  }
}

TEST(LargestKappaTest, NeedsNoShufflerForTheTargetItself) {
  for (const int64_t honest : {1, 2, 5}) {
    for (const double epsilon : {1e-6, 0.5, 3.0, 30.0, 40.0, 1e4}) {
      const absl::StatusOr<double> kappa = LargestKappa({honest, 10, 0, 0}, epsilon, 1e-12);
      ASSERT_TRUE(kappa.ok());
      EXPECT_GE(*kappa, std::min(std::expm1(epsilon) * (1 - 1e-13), kLargestKappa));
      EXPECT_LE(MustDelta({honest, 10, GammaOf(10, *kappa), 0}, epsilon), 1e-12);
    }
  }
}

TEST(LargestKappaTest, RoundsToThePrivateSideWhereGammaIsNearlyOne) {
  const absl::StatusOr<double> kappa = LargestKappa({1, 1e9, 0, 0}, 0.1, 1e-30);
  ASSERT_TRUE(kappa.ok());
  EXPECT_EQ(MustDelta({1, 1e9, GammaOf(1e9, *kappa), 0}, 0.1), 0);
  EXPECT_EQ(LargestKappa({1, 1e18, 0, 0}, 0.1, 1e-30).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(LargestKappaTest, GrowsWithFakesUpToItsLimit) {
  double last = 0;
  for (const int64_t fakes : {0, 1000, 30000, 60000}) {
    const absl::StatusOr<double> kappa = LargestKappa({600000, 600, 0, fakes}, 0.5, 1e-6);
    ASSERT_TRUE(kappa.ok());
    EXPECT_GT(*kappa, last);
    last = *kappa;
  }
  const absl::StatusOr<double> unlimited = LargestKappa({600000, 600, 0, 100000}, 0.5, 1e-6);
  ASSERT_TRUE(unlimited.ok());
  EXPECT_NEAR(*unlimited / kLargestKappa, 1, 1e-4);
}

TEST(EpsilonAtTest, ReturnsThePlannedEpsilonAtTheLargestKappa) {
  for (const Target& t : kTargets) {
    const absl::StatusOr<double> kappa =
        LargestKappa({t.honest, t.range, 0, 0}, t.epsilon, t.delta);
    ASSERT_TRUE(kappa.ok());
    const Blanket planned{t.honest, t.range, GammaOf(t.range, *kappa), 0};
    const absl::StatusOr<double> epsilon = EpsilonAt(planned, t.delta);
    ASSERT_TRUE(epsilon.ok());
    EXPECT_LE(*epsilon, t.epsilon * (1 + 1e-5));
    EXPECT_GE(*epsilon, t.epsilon * (1 - 1e-3));
  }
}

TEST(EpsilonAtTest, MeetsTheDeltaAndIsTheSmallest) {
  for (const Target& t : kTargets) {
    for (const double delta : {1e-12, 1e-6, 1e-2}) {
      const Blanket batch{t.honest, t.range, GammaOf(t.range, t.certified), 0};
      const absl::StatusOr<double> epsilon = EpsilonAt(batch, delta);
      ASSERT_TRUE(epsilon.ok());
      EXPECT_LE(MustDelta(batch, *epsilon), delta);
      EXPECT_GT(MustDelta(batch, *epsilon * (1 - 2e-6)), delta);
    }
  }
}

TEST(EpsilonAtTest, NeverExceedsTheLocalEpsilon) {
  for (const int64_t honest : {1, 2, 3, 10}) {
    const Blanket batch{honest, 10, GammaOf(10, std::expm1(2.0)), 0};
    const absl::StatusOr<double> epsilon = EpsilonAt(batch, 1e-15);
    ASSERT_TRUE(epsilon.ok());
    EXPECT_LE(*epsilon, LocalEpsilon(batch.range, batch.gamma));
    EXPECT_GE(*epsilon, 1.9);
    EXPECT_LE(MustDelta(batch, *epsilon), 1e-15);
  }
}

// At 1e8 submissions the batch is Gaussian to a per cent, which shows errors that tables of small
// batches do not.
TEST(EpsilonAtTest, TendsToTheGaussianLimit) {
  for (const double kappa : {300.0, 3000.0, 30000.0}) {
    const Blanket batch{100000000, 600, GammaOf(600, kappa), 0};
    const double messages = 1e8 * batch.gamma;
    const double theta = (1 - batch.gamma) * std::sqrt(2 * batch.range / messages);
    const absl::StatusOr<double> epsilon = EpsilonAt(batch, 1e-6);
    ASSERT_TRUE(epsilon.ok());
    EXPECT_NEAR(*epsilon / GaussianEpsilon(theta, 1e-6), 1, 0.02);
  }
}

TEST(EpsilonAtTest, StopsAtItsSmallestEpsilon) {
  const absl::StatusOr<double> epsilon = EpsilonAt({1000, 10, 0.5, 0}, 0.9);
  ASSERT_TRUE(epsilon.ok());
  EXPECT_NEAR(*epsilon / kSmallestEpsilon, 1, 1e-5);
}

TEST(EpsilonAtTest, SaysWhenNothingHidesTheMessages) {
  EXPECT_EQ(EpsilonAt({1000, 10, 0, 0}, 1e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(SmallestHonestTest, MeetsTheTargetWhileOneLessDoesNot) {
  for (const Target& t : kTargets) {
    const double gamma = GammaOf(t.range, t.certified);
    const absl::StatusOr<int64_t> honest =
        SmallestHonest({1, t.range, gamma, 0}, t.epsilon, t.delta);
    ASSERT_TRUE(honest.ok());
    EXPECT_LE(*honest, t.honest);
    EXPECT_GE(static_cast<double>(*honest), 0.97 * static_cast<double>(t.honest));
    EXPECT_LE(MustDelta({*honest, t.range, gamma, 0}, t.epsilon), t.delta);
    EXPECT_GT(MustDelta({*honest - 1, t.range, gamma, 0}, t.epsilon), t.delta);
  }
}

TEST(SmallestHonestTest, AgreesWithALinearScanOfSmallBatches) {
  const double gamma = GammaOf(4, 3);
  for (const double delta : {0.3, 0.05, 1e-3}) {
    int64_t expected = 1;
    while (MustDelta({expected, 4, gamma, 0}, 0.4) > delta) ++expected;
    const absl::StatusOr<int64_t> honest = SmallestHonest({1, 4, gamma, 0}, 0.4, delta);
    ASSERT_TRUE(honest.ok());
    EXPECT_EQ(*honest, expected);
  }
}

TEST(SmallestHonestTest, IsOneWhereTheMessageOrTheFakesSuffice) {
  EXPECT_EQ(SmallestHonest({1, 10, GammaOf(10, std::expm1(0.3)), 0}, 0.4, 1e-9).value_or(0), 1);
  EXPECT_EQ(SmallestHonest({1, 600, 0, 100000}, 0.5, 1e-6).value_or(0), 1);
}

TEST(SmallestHonestTest, SaysWhenTheTargetIsOutOfReach) {
  EXPECT_EQ(SmallestHonest({1, 600, 0, 10}, 0.5, 1e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(SmallestHonest({1, 1e6, 1e-9, 0}, 0.001, 1e-9).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(SearchTest, RefusesArgumentsOutOfRange) {
  const auto refused = [](const absl::Status& status) {
    return status.code() == absl::StatusCode::kInvalidArgument;
  };
  const Blanket batch{1000, 10, 0.5, 0};
  for (const double delta : {0.0, 1.0, -1.0, kNan}) {
    EXPECT_TRUE(refused(EpsilonAt(batch, delta).status()));
    EXPECT_TRUE(refused(SmallestHonest({1, 10, 0.5, 0}, 1, delta).status()));
    EXPECT_TRUE(refused(LargestKappa({1000, 10, 0, 0}, 1, delta).status()));
  }
  for (const double epsilon : {0.0, -1.0, kNan}) {
    EXPECT_TRUE(refused(SmallestHonest({1, 10, 0.5, 0}, epsilon, 1e-6).status()));
    EXPECT_TRUE(refused(LargestKappa({1000, 10, 0, 0}, epsilon, 1e-6).status()));
  }
  EXPECT_TRUE(refused(EpsilonAt({0, 10, 0.5, 0}, 1e-6).status()));
  EXPECT_TRUE(refused(SmallestHonest({1, 10, 1, 0}, 1, 1e-6).status()));
  EXPECT_TRUE(refused(SmallestHonest({1, 1, 0.5, 0}, 1, 1e-6).status()));
  EXPECT_TRUE(refused(LargestKappa({0, 10, 0, 0}, 1, 1e-6).status()));
  EXPECT_TRUE(refused(LargestKappa({1000, 10, 0, -1}, 1, 1e-6).status()));
}

}  // namespace
}  // namespace tombola::accounting
