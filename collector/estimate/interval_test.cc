#include "collector/estimate/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "collector/estimate/difference_tail.h"
#include "collector/estimate/normal.h"
#include "common/table/count_model.h"
#include "common/table/support.h"
#include "tests/support/log_gamma.h"

namespace tombola::collector {
namespace {

double IntervalHalfWidth(const mechanism::CountModel& model, const mechanism::Tally& tally,
                         double raw, double alpha) {
  return Interval(model, tally, alpha).HalfWidth(raw);
}

using mechanism::CountModel;
using mechanism::PlaneSupport;
using mechanism::Support;
using mechanism::Tally;
using mechanism::UniversalSupport;

constexpr Support kCertain = {.holder = 1, .other = 0, .separation = 1};

// Each submission adds a Poisson number of dummies to every value.
CountModel WithPoisson(const Support& support, double mean) {
  return {.support = support, .noise_mean = mean, .noise_variance = mean, .noise_third = mean};
}

// Each submission adds a difference of negative binomials of shape 0.0012.
CountModel Correlated() {
  return {.support = kCertain,
          .noise_variance = 2 * 0.0012 * 0.9 / 0.01,
          .difference_shape = 0.0012,
          .difference_success = 0.9};
}

TEST(NormalTailQuantileTest, MatchesKnownValues) {
  // Published to 15 digits.
  EXPECT_NEAR(NormalTailQuantile(0.5), 0, 1e-15);
  EXPECT_NEAR(NormalTailQuantile(0.25) / 0.674489750196082, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(0.05) / 1.64485362695147, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(0.025) / 1.95996398454005, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(0.005) / 2.57582930354890, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(0.0005) / 3.29052673149190, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(1e-6) / 4.75342430882290, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(1e-9) / 5.99780701500768, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(5e-10) / 6.10941020486940, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(1e-20) / 9.26234008979841, 1, 1e-14);
  EXPECT_NEAR(NormalTailQuantile(0.975) / -1.95996398454005, 1, 1e-14);
}

TEST(NormalTailQuantileTest, InvertsTheTail) {
  for (double tail = 0.49; tail > 1e-300; tail *= 0.37) {
    EXPECT_NEAR(NormalTail(NormalTailQuantile(tail)) / tail, 1, 1e-12) << tail;
  }
}

struct CoverageCase {
  CountModel model;
  Tally tally;
  double frequency;
};

// The share of `trials` simulated batches whose interval holds the true frequency. The count is
// Binomial(n f, p) + Binomial(n (1 - f), s), exactly as reports of independent devices make it,
// with Poisson noise and Binomial(fakes, fake_support) where the model has them.
double Coverage(const CoverageCase& c, double alpha, int trials, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const int64_t n = c.tally.submissions;
  const auto holders = static_cast<int64_t>(std::llround(c.frequency * static_cast<double>(n)));
  const double truth = static_cast<double>(holders) / static_cast<double>(n);
  std::binomial_distribution<int64_t> held(holders, c.model.support.holder);
  std::binomial_distribution<int64_t> other(n - holders, c.model.support.other);
  std::binomial_distribution<int64_t> fakes(c.tally.fakes, c.model.fake_support);
  const double noise_mean = static_cast<double>(n) * c.model.noise_mean;
  std::poisson_distribution<int64_t> noise(noise_mean > 0 ? noise_mean : 1);
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    int64_t count = held(engine) + other(engine) + fakes(engine);
    if (noise_mean > 0) count += noise(engine);
    const double raw = mechanism::Estimate(c.model, c.tally, static_cast<double>(count));
    covered += std::abs(raw - truth) <= IntervalHalfWidth(c.model, c.tally, raw, alpha);
  }
  return static_cast<double>(covered) / trials;
}

// Reports that support a value by chance: 62 of 1,000 to 263 of 600,000; then dummies, with and
// without a randomised report, and fakes.
const CoverageCase kCases[] = {
    {{UniversalSupport(16, 0.36)}, {1000}, 0.0},
    {{UniversalSupport(16, 0.36)}, {1000}, 0.3},
    {{UniversalSupport(16, 0.36)}, {1000}, 1.0},
    {{UniversalSupport(16, 0.652)}, {20000}, 0.01},
    {{PlaneSupport(31, 0.673)}, {60000}, 0.001},
    {{PlaneSupport(2281, 0.73)}, {600000}, 0.0},
    {{PlaneSupport(2281, 0.73)}, {600000}, 0.0005},
    {{PlaneSupport(2281, 0.73)}, {600000}, 0.26},
    {{PlaneSupport(2281, 0.73)}, {600000}, 1.0},
    {WithPoisson(kCertain, 136.0 / 600000), {600000}, 0.0},
    {WithPoisson(kCertain, 136.0 / 600000), {600000}, 0.4},
    {WithPoisson(kCertain, 0.05), {1000}, 1.0},
    {WithPoisson(UniversalSupport(600, 0.9), 0.02), {5000}, 0.0},
    {WithPoisson(UniversalSupport(600, 0.9), 0.02), {5000}, 0.7},
    {{.support = UniversalSupport(16, 0.5), .fake_support = 1.0 / 16}, {1000, 500}, 0.0},
    {{.support = UniversalSupport(16, 0.5), .fake_support = 1.0 / 16}, {1000, 500}, 0.5},
};

// If the coverage is at least 0.95, fewer than 0.95 - 6 sqrt(0.95 * 0.05 / trials) are covered with
// probability about 1e-9 a case. Not much wider than need be: at most 0.98.
TEST(IntervalTest, CoversTheTruthAsOftenAsItSays) {
  constexpr int kTrials = 20000;
  const double slack = 6 * std::sqrt(0.95 * 0.05 / kTrials);
  uint64_t seed = 1;
  for (const CoverageCase& c : kCases) {
    const double coverage = Coverage(c, 0.05, kTrials, seed++);
    EXPECT_GE(coverage, 0.95 - slack) << c.tally.submissions << " submissions, f = " << c.frequency;
    EXPECT_LE(coverage, 0.98 + slack) << c.tally.submissions << " submissions, f = " << c.frequency;
  }
}

// 1 - 1e-3 of the time: misses are Binomial(20000, <= 1e-3), at most 55 with probability 1 - 1e-9
// (Chernoff: e^(-20) (20 e / 56)^56 = 4e-10).
TEST(IntervalTest, CoversAlsoInTheTail) {
  uint64_t seed = 100;
  for (const CoverageCase& c : kCases) {
    EXPECT_GE(Coverage(c, 1e-3, 20000, seed++), 1 - 55.0 / 20000)
        << c.tally.submissions << " submissions, f = " << c.frequency;
  }
}

// Few supporting reports make a count far from normal: the interval may be too wide, never too
// narrow. The bound on failure is that of the first test.
TEST(IntervalTest, IsNeverTooNarrowWhereAHandfulOfReportsSupportAValue) {
  constexpr int kTrials = 20000;
  const double slack = 6 * std::sqrt(0.95 * 0.05 / kTrials);
  uint64_t seed = 200;
  for (const int64_t reports : {100, 200, 400, 1000, 2000, 6000}) {
    for (const double frequency : {0.0, 0.005, 0.02, 0.5, 1.0}) {
      const CoverageCase c = {{PlaneSupport(211, 0.6)}, {reports}, frequency};
      EXPECT_GE(Coverage(c, 0.05, kTrials, seed++), 0.95 - slack)
          << reports << " reports, f = " << frequency;
    }
  }
  for (const double dummies : {0.3, 1.0, 3.0, 10.0}) {
    const CoverageCase c = {WithPoisson(kCertain, dummies / 1000), {1000}, 0.1};
    EXPECT_GE(Coverage(c, 0.05, kTrials, seed++), 0.95 - slack) << dummies << " dummies";
  }
}

// Score, skewness and continuity: 0.064871396 + 0.00062437861 + 0.0014814815, with 30 digits.
TEST(IntervalTest, IsTheSumOfItsThreeTerms) {
  EXPECT_NEAR(
      IntervalHalfWidth({UniversalSupport(16, 0.36)}, {1000}, 0.3, 0.05) / 0.0669772564621878, 1,
      1e-13);
}

// The same with noise of moments 0.05, 0.04 and 0.03 a submission and 500 fakes: 0.08153058412 +
// 0.00081525216129 + 0.0014814815, with 30 digits.
TEST(IntervalTest, CountsTheMomentsOfNoiseAndFakes) {
  const CountModel model = {.support = UniversalSupport(16, 0.36),
                            .noise_mean = 0.05,
                            .noise_variance = 0.04,
                            .noise_third = 0.03,
                            .fake_support = 1.0 / 16};
  EXPECT_NEAR(IntervalHalfWidth(model, {1000, 500}, 0.3, 0.05) / 0.08382731776111341, 1, 1e-13);
}

TEST(IntervalTest, ApproachesTheNormalIntervalForManyReports) {
  const CountModel model = {PlaneSupport(31, 0.673)};
  const Tally tally = {1'000'000'000};
  const double deviation = std::sqrt(mechanism::EstimateVariance(model, tally, 0.2));
  EXPECT_NEAR(IntervalHalfWidth(model, tally, 0.2, 0.05) / (1.95996398454005 * deviation), 1, 1e-3);
}

TEST(IntervalTest, GrowsWithConfidence) {
  for (const CountModel& model : {CountModel{PlaneSupport(2281, 0.73)}, Correlated()}) {
    double last = 0;
    for (const double alpha : {0.9, 0.5, 0.1, 0.05, 1e-3, 1e-6, 1e-9, 1e-15}) {
      const double half_width = IntervalHalfWidth(model, {1000}, 0.01, alpha);
      EXPECT_GT(half_width, last);
      last = half_width;
    }
  }
}

TEST(IntervalTest, OfCorrelatedNoiseIsItsOwnQuantile) {
  // 1,000 submissions make the shape 1.2.
  const double quantile = UpperQuantile({.shape = 1.2, .success = 0.9}, 0.025);
  for (const double raw : {-0.1, 0.0, 0.3, 1.0}) {
    EXPECT_NEAR(IntervalHalfWidth(Correlated(), {1000}, raw, 0.05), (quantile + 0.5) / 1000, 1e-12);
  }
}

// Pr[count > k] for the law of a count of which nobody holds the value: Poisson or binomial.
double PoissonAbove(double mean, double k) {
  double sum = 0;
  for (double i = std::max(0.0, std::floor(k) + 1); i < mean + 40 * std::sqrt(mean) + 200; ++i) {
    sum += std::exp(i * std::log(mean) - mean - LogGamma(i + 1));
  }
  return sum;
}

double BinomialAbove(double n, double s, double k) {
  double sum = 0;
  for (double i = std::max(0.0, std::floor(k) + 1); i <= n; ++i) {
    sum += std::exp(LogGamma(n + 1) - LogGamma(i + 1) - LogGamma(n - i + 1) + i * std::log(s) +
                    (n - i) * std::log1p(-s));
  }
  return sum;
}

// Against exact laws, for tails as small as a large domain asks for.
TEST(UpperQuantileAtZeroTest, IsExceededNoMoreOftenThanItSays) {
  for (const double tail : {0.4, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
    for (const double mean : {0.01, 0.1, 0.3, 1.0, 2.0, 5.0, 13.0, 42.6, 136.1, 2641.0}) {
      const CountModel model = WithPoisson(kCertain, mean / 10000);
      const double threshold = 10000 * UpperQuantileAtZero(model, {10000}, tail);
      EXPECT_LE(PoissonAbove(mean, mean + threshold), tail) << "Poisson " << mean << ", " << tail;
    }
    for (const double range : {2.0, 16.0, 500.0, 20000.0}) {
      const CountModel model = {UniversalSupport(range, 0.5)};
      const double per_count = 10000 * model.support.separation;
      const double threshold = per_count * UpperQuantileAtZero(model, {10000}, tail);
      EXPECT_LE(BinomialAbove(10000, 1 / range, 10000 / range + threshold), tail)
          << "Binomial " << range << ", " << tail;
    }
  }
}

// Were it a tenth less it would be exceeded too often.
TEST(UpperQuantileAtZeroTest, IsNotMuchMoreThanNeedBe) {
  for (const double tail : {0.05, 1e-3, 1e-6, 1e-10}) {
    for (const double mean : {42.6, 136.1, 2641.0}) {
      const CountModel model = WithPoisson(kCertain, mean / 10000);
      const double threshold = 10000 * UpperQuantileAtZero(model, {10000}, tail);
      EXPECT_GT(PoissonAbove(mean, mean + 0.9 * threshold), tail) << mean << ", " << tail;
    }
  }
}

TEST(UpperQuantileAtZeroTest, OfCorrelatedNoiseIsItsOwnQuantile) {
  EXPECT_NEAR(UpperQuantileAtZero(Correlated(), {1000}, 1e-4),
              (UpperQuantile({.shape = 1.2, .success = 0.9}, 1e-4) + 0.5) / 1000, 1e-12);
}

TEST(BernsteinMaxErrorTest, IsTheCorrectedTheorem5) {
  // p = 0.4, s = 1/16, p - s = 0.3375, L = ln(2 * 50 / 0.01), V = 0.24 / (n (p - s)^2).
  const double log_term = std::log(10000.0);
  const double variance = 0.24 / (20000 * 0.3375 * 0.3375);
  EXPECT_NEAR(BernsteinMaxError({UniversalSupport(16, 0.36)}, {20000}, 50, 0.01),
              std::sqrt(2 * variance * log_term) + 2 * log_term / (3 * 20000 * 0.3375), 1e-12);
}

TEST(BernsteinMaxErrorTest, CountsTheVarianceOfNoise) {
  const double log_term = std::log(10000.0);
  EXPECT_NEAR(BernsteinMaxError(WithPoisson(kCertain, 0.01), {20000}, 50, 0.01),
              std::sqrt(2 * 0.01 / 20000 * log_term) + 2 * log_term / (3 * 20000), 1e-12);
}

TEST(DifferenceMaxErrorTest, IsChernoffsBoundForTheWholeDomain) {
  EXPECT_NEAR(DifferenceMaxError(Correlated(), {1000}, 50, 0.01),
              ChernoffBound({.shape = 1.2, .success = 0.9}, std::log(10000.0)) / 1000, 1e-12);
}

}  // namespace
}  // namespace tombola::collector
