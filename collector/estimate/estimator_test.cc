#include "collector/estimate/estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "collector/estimate/interval.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/murs.h"

namespace tombola::collector {
namespace {

using mechanism::HashFamily;
using mechanism::LocalHash;
using ::testing::HasSubstr;

// Affine, g = 16, e^(e_l) = 10: p = 0.4, s = 1/16.
mechanism::LocalHashOptions Options(uint64_t threshold = static_cast<uint64_t>(std::ldexp(16.0 / 25,
                                                                                          64))) {
  return {HashFamily::kAffine, 16, threshold, 32, 3};
}

LocalHash Make() { return LocalHash::Create(Options()).value(); }

mechanism::Correlated MakeCorrelated() {
  return mechanism::Correlated::Create({.noise_success = static_cast<uint64_t>(std::ldexp(0.8, 64)),
                                        .flood_success = static_cast<uint64_t>(std::ldexp(0.9, 64)),
                                        .noise_rate = uint64_t{1} << 36,
                                        .flood_rate = uint64_t{1} << 37,
                                        .honest = 1000,
                                        .max_noise = 4000,
                                        .domain_size = 3})
      .value();
}

TEST(EstimatorTest, InvertsTheExpectedCounts) {
  const Estimator estimator(Make());
  // f p + (1 - f) s of 20,000 for f = 0, 0.2 and 0.8.
  const Estimates estimates =
      estimator.Estimate({1250, 2600, 6650}, {.submissions = 20000}).value();
  EXPECT_NEAR(estimates.raw[0], 0, 1e-12);
  EXPECT_NEAR(estimates.raw[1], 0.2, 1e-12);
  EXPECT_NEAR(estimates.raw[2], 0.8, 1e-12);
}

TEST(EstimatorTest, TakesAwayWhatFakesAdd) {
  const Estimator estimator(mechanism::Murs::Create(Options(), 1600).value());
  // As before, and a sixteenth of 1600.
  const mechanism::Tally tally = {.submissions = 20000, .fakes = 1600};
  const Estimates estimates = estimator.Estimate({1350, 2700, 6750}, tally).value();
  EXPECT_NEAR(estimates.raw[0], 0, 1e-12);
  EXPECT_NEAR(estimates.raw[1], 0.2, 1e-12);
  EXPECT_NEAR(estimates.raw[2], 0.8, 1e-12);
  // (20000 + 1600) s (1 - s) / (20000 (p - s))^2 where nobody holds the value.
  EXPECT_NEAR(std::pow(estimates.standard_errors[0], 2) /
                  (21600 * (15.0 / 256) / std::pow(20000 * 0.3375, 2)),
              1, 1e-8);
}

TEST(EstimatorTest, NegativeCountsAreCounts) {
  const mechanism::Correlated correlated = MakeCorrelated();
  const Estimator estimator(correlated);
  const Estimates estimates = estimator.Estimate({-20, 400, 620}, {.submissions = 1000}).value();
  EXPECT_NEAR(estimates.raw[0], -0.02, 1e-12);
  EXPECT_NEAR(estimates.raw[1], 0.4, 1e-12);
  // The difference of two negative binomials: 2 r p / (1 - p)^2 for each submission.
  EXPECT_NEAR(std::pow(estimates.standard_errors[0], 2) /
                  (correlated.noise_shape() * 2 * 0.8 / 0.04 / 1000),
              1, 1e-6);
}

TEST(EstimatorTest, StandardErrorsMatchTheReference) {
  const Estimator estimator(Make());
  const Estimates estimates =
      estimator.Estimate({1250, 8000, 4000}, {.submissions = 20000}).value();
  EXPECT_NEAR(std::pow(estimates.standard_errors[0], 2) / 2.5720164609053494e-05, 1, 1e-8);
  EXPECT_NEAR(std::pow(estimates.standard_errors[1], 2) / 0.0001053497942386831, 1, 1e-8);
}

TEST(EstimatorTest, ErrorsOfImpossibleFrequenciesAreThoseOfTheNearestPossible) {
  const Estimator estimator(Make());
  const Estimates estimates = estimator.Estimate({0, 1250, 20000}, {.submissions = 20000}).value();
  EXPECT_LT(estimates.raw[0], 0);
  EXPECT_EQ(estimates.standard_errors[0], estimates.standard_errors[1]);
  EXPECT_GT(estimates.raw[2], 1);
  EXPECT_NEAR(std::pow(estimates.standard_errors[2], 2) / 0.0001053497942386831, 1, 1e-8);
}

TEST(EstimatorTest, NoDataIsNoEstimate) {
  const Estimator estimator(Make());
  const mechanism::Tally none = {.submissions = 0, .fakes = 5};
  for (const absl::Status& status :
       {estimator.Estimate({0, 0, 0}, none).status(), estimator.IntervalAt(none, 0.95).status(),
        estimator.MaxError(none, 0.05).status(), estimator.NoiseThreshold(none, 0.05).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("no data"));
  }
}

// A table whose reports do not depend on the value.
class Mute final : public mechanism::Table {
 public:
  int64_t domain_size() const override { return 3; }
  mechanism::Layout layout() const override { return mechanism::Layout::kValue; }
  mechanism::CountModel count_model() const override {
    return {.support = {.holder = 0.5, .other = 0.5, .separation = 0}};
  }
  void DrawFake(RandomSource&, absl::Span<uint8_t>) const override {}
};

TEST(EstimatorTest, RefusesReportsThatSayNothing) {
  const Estimator estimator{Mute()};
  const mechanism::Tally tally = {.submissions = 16};
  for (const absl::Status& status :
       {estimator.Estimate({1, 1, 1}, tally).status(), estimator.IntervalAt(tally, 0.95).status(),
        estimator.MaxError(tally, 0.05).status(), estimator.NoiseThreshold(tally, 0.05).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("do not depend on values"));
  }
}

// All but one of 2^64 reports are blanket: next to nothing is said, and the errors say so.
TEST(EstimatorTest, ReportsThatSayNextToNothingHaveErrorsToMatch) {
  const Estimator estimator(LocalHash::Create(Options(~uint64_t{0})).value());
  const Estimates estimates = estimator.Estimate({1, 1, 1}, {.submissions = 16}).value();
  EXPECT_GT(estimates.standard_errors[0], 1e15);
  EXPECT_TRUE(std::isfinite(estimates.standard_errors[0]));
}

TEST(EstimatorTest, RefusesBadArguments) {
  const Estimator estimator(Make());
  const mechanism::Tally tally = {.submissions = 10};
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(estimator.Estimate({1, 1}, tally).status().code(), invalid);
  EXPECT_EQ(estimator.Estimate({1, 1, 1}, {.submissions = -1}).status().code(), invalid);
  EXPECT_EQ(estimator.Estimate({1, 1, 1}, {.submissions = 10, .fakes = -1}).status().code(),
            invalid);
  for (const double bad : {0.0, 1.0, -0.5, nan}) {
    EXPECT_EQ(estimator.IntervalAt(tally, bad).status().code(), invalid);
    EXPECT_EQ(estimator.MaxError(tally, bad).status().code(), invalid);
    EXPECT_EQ(estimator.NoiseThreshold(tally, bad).status().code(), invalid);
  }
}

TEST(EstimatorTest, WidthsAreThoseOfTheFormulas) {
  const Estimator estimator(Make());
  const mechanism::Tally tally = {.submissions = 5000};
  EXPECT_NEAR(estimator.IntervalAt(tally, 0.9).value().HalfWidth(0.3),
              Interval(estimator.model(), tally, 0.1).HalfWidth(0.3), 1e-15);
  EXPECT_NEAR(estimator.MaxError(tally, 0.1).value(),
              BernsteinMaxError(estimator.model(), tally, 3, 0.1), 1e-15);
  EXPECT_NEAR(estimator.NoiseThreshold(tally, 0.1).value(),
              UpperQuantileAtZero(estimator.model(), tally, 0.1 / 3), 1e-15);
}

TEST(EstimatorTest, CorrelatedNoiseHasABoundOfItsOwn) {
  const Estimator estimator(MakeCorrelated());
  const mechanism::Tally tally = {.submissions = 1100};
  EXPECT_NEAR(estimator.MaxError(tally, 0.1).value(),
              DifferenceMaxError(estimator.model(), tally, 3, 0.1), 1e-15);
  // Larger than Bernstein's: tails are heavier than those of a sum of coins.
  EXPECT_GT(estimator.MaxError(tally, 1e-9).value(),
            1.1 * BernsteinMaxError(estimator.model(), tally, 3, 1e-9));
}

TEST(EstimatorTest, ExtremeArgumentsHaveFiniteWidths) {
  for (const double raw : {-1e9, 0.0, 0.5, 1.0, 1e9}) {
    EXPECT_TRUE(std::isfinite(Estimator(LocalHash::Create(Options(1)).value())
                                  .IntervalAt({.submissions = 100}, 0.95)
                                  .value()
                                  .HalfWidth(raw)))
        << raw;
  }
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const Estimator& estimator : {Estimator(Make()), Estimator(MakeCorrelated())}) {
    const mechanism::Tally tally = {.submissions = 1};
    EXPECT_TRUE(std::isfinite(estimator.NoiseThreshold(tally, tiny).value()));
    EXPECT_TRUE(std::isfinite(estimator.MaxError(tally, 1e-300).value()));
    EXPECT_TRUE(std::isfinite(estimator.IntervalAt(tally, 1 - 1e-16).value().HalfWidth(0)));
    EXPECT_TRUE(std::isfinite(estimator.IntervalAt(tally, 1e-16).value().HalfWidth(0)));
  }
}

}  // namespace
}  // namespace tombola::collector
