#include "collector/estimate/local_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "collector/estimate/estimator.h"
#include "collector/estimate/interval.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;
using ::testing::HasSubstr;

// Affine, g = 16, e^(e_l) = 10: p = 0.4, s = 1/16.
std::shared_ptr<const LocalHash> Make(
    uint64_t threshold = static_cast<uint64_t>(std::ldexp(16.0 / 25, 64))) {
  return std::make_shared<const LocalHash>(
      LocalHash::Create({HashFamily::kAffine, 16, threshold, 32, 3}).value());
}

TEST(LocalHashEstimatorTest, InvertsTheExpectedCounts) {
  const auto estimator = MakeEstimator(Make());
  // f p + (1 - f) s of 20,000 for f = 0, 0.2 and 0.8.
  const Estimates estimates = estimator->Estimate({1250, 2600, 6650}, 20000).value();
  EXPECT_NEAR(estimates.raw[0], 0, 1e-12);
  EXPECT_NEAR(estimates.raw[1], 0.2, 1e-12);
  EXPECT_NEAR(estimates.raw[2], 0.8, 1e-12);
}

TEST(LocalHashEstimatorTest, StandardErrorsMatchTheReference) {
  const auto estimator = MakeEstimator(Make());
  const Estimates estimates = estimator->Estimate({1250, 8000, 4000}, 20000).value();
  EXPECT_NEAR(std::pow(estimates.standard_errors[0], 2) / 2.5720164609053494e-05, 1, 1e-8);
  EXPECT_NEAR(std::pow(estimates.standard_errors[1], 2) / 0.0001053497942386831, 1, 1e-8);
}

TEST(LocalHashEstimatorTest, ErrorsOfImpossibleFrequenciesAreThoseOfTheNearestPossible) {
  const auto estimator = MakeEstimator(Make());
  const Estimates estimates = estimator->Estimate({0, 1250, 20000}, 20000).value();
  EXPECT_LT(estimates.raw[0], 0);
  EXPECT_EQ(estimates.standard_errors[0], estimates.standard_errors[1]);
  EXPECT_GT(estimates.raw[2], 1);
  EXPECT_NEAR(std::pow(estimates.standard_errors[2], 2) / 0.0001053497942386831, 1, 1e-8);
}

TEST(LocalHashEstimatorTest, NoDataIsNoEstimate) {
  const auto estimator = MakeEstimator(Make());
  for (const absl::Status& status :
       {estimator->Estimate({0, 0, 0}, 0).status(), estimator->HalfWidth(0, 0, 0.95).status(),
        estimator->MaxError(0, 0.05).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("no data"));
  }
}

TEST(LocalHashEstimatorTest, RefusesReportsThatSayNothing) {
  const auto estimator = MakeEstimator(Make(~uint64_t{0}));
  EXPECT_EQ(estimator->Estimate({1, 1, 1}, 16).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(LocalHashEstimatorTest, RefusesBadArguments) {
  const auto estimator = MakeEstimator(Make());
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(estimator->Estimate({1, 1}, 10).status().code(), invalid);
  EXPECT_EQ(estimator->Estimate({1, 1, -1}, 10).status().code(), invalid);
  EXPECT_EQ(estimator->Estimate({1, 1, 11}, 10).status().code(), invalid);
  EXPECT_EQ(estimator->Estimate({1, 1, 1}, -1).status().code(), invalid);
  EXPECT_EQ(estimator->HalfWidth(nan, 10, 0.95).status().code(), invalid);
  for (const double bad : {0.0, 1.0, -0.5, nan}) {
    EXPECT_EQ(estimator->HalfWidth(0.1, 10, bad).status().code(), invalid);
    EXPECT_EQ(estimator->MaxError(10, bad).status().code(), invalid);
  }
}

TEST(LocalHashEstimatorTest, WidthsAreThoseOfTheFormulas) {
  const auto local_hash = Make();
  const auto estimator = MakeEstimator(local_hash);
  EXPECT_NEAR(estimator->HalfWidth(0.3, 5000, 0.9).value(),
              IntervalHalfWidth(local_hash->support(), 5000, 0.3, 0.1), 1e-15);
  EXPECT_NEAR(estimator->MaxError(5000, 0.1).value(),
              BernsteinMaxError(local_hash->support(), 5000, 3, 0.1), 1e-15);
}

TEST(LocalHashEstimatorTest, ABlanketThatIsAlmostNeverSentStillHasFiniteWidths) {
  const auto estimator = MakeEstimator(Make(1));
  for (const double raw : {0.0, 0.5, 1.0}) {
    EXPECT_TRUE(std::isfinite(estimator->HalfWidth(raw, 100, 0.95).value())) << raw;
  }
}

}  // namespace
}  // namespace tombola::collector
