#include "common/accounting/gaussian.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

TEST(GaussianTest, ThetaAgreesWithTheReference) {
  const struct {
    double epsilon, theta;
  } kCases[] = {{0.1, 0.02754465024382741},
                {0.2, 0.05266262258234357},
                {0.5, 0.12410614903071894},
                {1.0, 0.2367043806634349}};
  for (const auto& c : kCases) {
    const absl::StatusOr<double> theta = GaussianTheta(c.epsilon, 1e-6);
    ASSERT_TRUE(theta.ok());
    EXPECT_NEAR(*theta / c.theta, 1, 1e-8);
  }
}

TEST(GaussianTest, DeltaIsTheTotalVariationAtEpsilonZero) {
  EXPECT_NEAR(GaussianDelta(1, 0), std::erf(0.5 / std::sqrt(2.0)), 1e-15);
}

TEST(GaussianTest, EpsilonAndThetaInvertDelta) {
  for (const double epsilon : {0.01, 0.3, 2.0}) {
    for (const double delta : {1e-9, 1e-5, 0.01}) {
      const absl::StatusOr<double> theta = GaussianTheta(epsilon, delta);
      ASSERT_TRUE(theta.ok());
      EXPECT_NEAR(GaussianDelta(*theta, epsilon) / delta, 1, 1e-8);
      EXPECT_NEAR(GaussianEpsilon(*theta, delta) / epsilon, 1, 1e-8);
    }
  }
}

TEST(GaussianTest, EpsilonIsZeroWhereDeltaExceedsTheTotalVariation) {
  EXPECT_EQ(GaussianEpsilon(0.1, 0.5), 0);
}

TEST(GaussianTest, RefusesArgumentsOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double epsilon : {0.0, -1.0, nan}) {
    EXPECT_EQ(GaussianTheta(epsilon, 0.1).status().code(), absl::StatusCode::kInvalidArgument);
  }
  for (const double delta : {0.0, 1.0, nan}) {
    EXPECT_EQ(GaussianTheta(1, delta).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tombola::accounting
