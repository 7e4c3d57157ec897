#include "collector/estimate/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "collector/estimate/normal.h"

namespace tombola::collector {
namespace {

using mechanism::PlaneSupport;
using mechanism::Support;
using mechanism::UniversalSupport;

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

// The share of `trials` simulated batches whose interval holds the true frequency. The count is
// Binomial(n f, p) + Binomial(n (1 - f), s), exactly as reports of independent devices make it.
double Coverage(const Support& support, int64_t reports, double frequency, double alpha, int trials,
                uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto holders = static_cast<int64_t>(std::llround(frequency * static_cast<double>(reports)));
  const double truth = static_cast<double>(holders) / static_cast<double>(reports);
  std::binomial_distribution<int64_t> held(holders, support.holder);
  std::binomial_distribution<int64_t> other(reports - holders, support.other);
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const auto count = static_cast<double>(held(engine) + other(engine));
    const double raw = (count / static_cast<double>(reports) - support.other) / support.separation;
    covered += std::abs(raw - truth) <= IntervalHalfWidth(support, reports, raw, alpha);
  }
  return static_cast<double>(covered) / trials;
}

struct CoverageCase {
  Support support;
  int64_t reports;
  double frequency;
};

// Reports that support a value by chance: 62 of 1,000 to 263 of 600,000.
const CoverageCase kCases[] = {
    {UniversalSupport(16, 0.36), 1000, 0.0},    {UniversalSupport(16, 0.36), 1000, 0.3},
    {UniversalSupport(16, 0.36), 1000, 1.0},    {UniversalSupport(16, 0.652), 20000, 0.01},
    {PlaneSupport(31, 0.673), 60000, 0.001},    {PlaneSupport(2281, 0.73), 600000, 0.0},
    {PlaneSupport(2281, 0.73), 600000, 0.0005}, {PlaneSupport(2281, 0.73), 600000, 0.26},
    {PlaneSupport(2281, 0.73), 600000, 1.0},
};

// If the coverage is at least 0.95, fewer than 0.95 - 6 sqrt(0.95 * 0.05 / trials) are covered with
// probability about 1e-9 a case. Not much wider than need be: at most 0.98.
TEST(IntervalTest, CoversTheTruthAsOftenAsItSays) {
  constexpr int kTrials = 20000;
  const double slack = 6 * std::sqrt(0.95 * 0.05 / kTrials);
  uint64_t seed = 1;
  for (const CoverageCase& c : kCases) {
    const double coverage = Coverage(c.support, c.reports, c.frequency, 0.05, kTrials, seed++);
    EXPECT_GE(coverage, 0.95 - slack) << c.reports << " reports, f = " << c.frequency;
    EXPECT_LE(coverage, 0.98 + slack) << c.reports << " reports, f = " << c.frequency;
  }
}

// 1 - 1e-3 of the time: misses are Binomial(20000, <= 1e-3), at most 55 with probability 1 - 1e-9
// (Chernoff: e^(-20) (20 e / 56)^56 = 4e-10).
TEST(IntervalTest, CoversAlsoInTheTail) {
  uint64_t seed = 100;
  for (const CoverageCase& c : kCases) {
    EXPECT_GE(Coverage(c.support, c.reports, c.frequency, 1e-3, 20000, seed++), 1 - 55.0 / 20000)
        << c.reports << " reports, f = " << c.frequency;
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
      EXPECT_GE(Coverage(PlaneSupport(211, 0.6), reports, frequency, 0.05, kTrials, seed++),
                0.95 - slack)
          << reports << " reports, f = " << frequency;
    }
  }
}

// Score, skewness and continuity: 0.064871396 + 0.00062437861 + 0.0014814815, with 30 digits.
TEST(IntervalTest, IsTheSumOfItsThreeTerms) {
  EXPECT_NEAR(IntervalHalfWidth(UniversalSupport(16, 0.36), 1000, 0.3, 0.05) / 0.0669772564621878,
              1, 1e-13);
}

TEST(IntervalTest, ApproachesTheNormalIntervalForManyReports) {
  const Support support = PlaneSupport(31, 0.673);
  const double deviation = std::sqrt(mechanism::EstimateVariance(support, 0.2, 1'000'000'000));
  EXPECT_NEAR(IntervalHalfWidth(support, 1'000'000'000, 0.2, 0.05) / (1.95996398454005 * deviation),
              1, 1e-3);
}

TEST(IntervalTest, GrowsWithConfidence) {
  const Support support = PlaneSupport(2281, 0.73);
  double last = 0;
  for (const double alpha : {0.9, 0.5, 0.1, 0.05, 1e-3, 1e-6, 1e-9, 1e-15}) {
    const double half_width = IntervalHalfWidth(support, 1000, 0.01, alpha);
    EXPECT_GT(half_width, last);
    last = half_width;
  }
}

TEST(BernsteinMaxErrorTest, IsTheCorrectedTheorem5) {
  // p = 0.4, s = 1/16, p - s = 0.3375, L = ln(2 * 50 / 0.01), V = 0.24 / (n (p - s)^2).
  const double log_term = std::log(10000.0);
  const double variance = 0.24 / (20000 * 0.3375 * 0.3375);
  EXPECT_NEAR(BernsteinMaxError(UniversalSupport(16, 0.36), 20000, 50, 0.01),
              std::sqrt(2 * variance * log_term) + 2 * log_term / (3 * 20000 * 0.3375), 1e-12);
}

}  // namespace
}  // namespace tombola::collector
