#include "common/mechanism/spread_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tombola::mechanism {
namespace {

TEST(SpreadNoiseTest, TheChargeIsForBothValues) {
  EXPECT_NEAR(DifferenceCharge(1e-9, 0.5), (1 + std::exp(0.5)) * 1e-9, 1e-21);
  EXPECT_GE(DifferenceCharge(1e-9, 0.5), (1 + std::exp(0.5)) * 1e-9);
  EXPECT_EQ(DifferenceCharge(0, 800), 0);
  EXPECT_EQ(DifferenceCharge(1e-9, 800), 1);
}

TEST(SpreadNoiseTest, FindsTheSmallestEpsilonOfTheSum) {
  const auto falls = [](double epsilon) -> absl::StatusOr<double> {
    return 1e-3 * std::exp(-10 * epsilon);
  };
  for (const double probability : {0.0, 1e-12, 1e-7}) {
    const double epsilon = EpsilonDespiteDifference(falls, probability, 1e-6).value();
    const auto at = [&](double e) { return *DeltaDespiteDifference(falls, probability, e); };
    EXPECT_LE(at(epsilon), 1e-6) << probability;
    EXPECT_GT(at(epsilon * (1 - 2e-6)), 1e-6) << probability;
  }
  EXPECT_EQ(EpsilonDespiteDifference(falls, 0, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// 0.998 of delta is left whatever epsilon, as with Pr[noise = 0]: little is left for the charge.
TEST(SpreadNoiseTest, FindsAnEpsilonWhereTheSumBarelyMeetsTheTarget) {
  const auto flat = [](double epsilon) -> absl::StatusOr<double> {
    return std::max(9.98e-7, std::exp(-10 * epsilon));
  };
  const double epsilon = EpsilonDespiteDifference(flat, 1e-12, 1e-6).value();
  EXPECT_LE(*DeltaDespiteDifference(flat, 1e-12, epsilon), 1e-6);
  EXPECT_NEAR(epsilon, -std::log(1e-6) / 10, 1e-3);
}

TEST(SpreadNoiseTest, SaysWhenThereIsNoEpsilon) {
  const auto flat = [](double) -> absl::StatusOr<double> { return 1e-5; };
  EXPECT_EQ(EpsilonDespiteDifference(flat, 0, 1e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const auto none = [](double) -> absl::StatusOr<double> { return 0; };
  EXPECT_EQ(EpsilonDespiteDifference(none, 1e-6, 1e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// The charge grows with epsilon, a guarantee does not get worse.
TEST(SpreadNoiseTest, DeltaStopsRisingWithEpsilon) {
  const auto none = [](double) -> absl::StatusOr<double> { return 0; };
  EXPECT_EQ(*DeltaDespiteDifference(none, 1e-9, 40), *DeltaDespiteDifference(none, 1e-9, 10));
  EXPECT_LT(*DeltaDespiteDifference(none, 1e-9, 40), 3e-5);
}

}  // namespace
}  // namespace tombola::mechanism
