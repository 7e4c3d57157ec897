// The laws that the methods state: their probabilities enumerated or integrated, and their draws.
#include <cmath>
#include <numeric>

#include "gtest/gtest.h"
#include "lab/numbers/central_ranges.h"
#include "lab/numbers/local_mean.h"
#include "lab/numbers/shuffled_sum.h"
#include "lab/sample/test_moments.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

// As in key_value/simulation_test.cc: 1e-8 for each of some hundred statements.
constexpr double kSigmas = 5.73;

TEST(LocalMeanTest, DrawsHaveTheStatedMoments) {
  constexpr int kDraws = 100000;
  for (const MeanMethod& method : MeanMethods()) {
    for (const double epsilon : {0.3, 1.0, 4.0}) {
      for (const double number : {-1.0, 0.0, 0.4}) {
        SCOPED_TRACE(testing::Message() << method.name << ", " << epsilon << ", " << number);
        Generator random(1);
        Moments drawn;
        for (int i = 0; i < kDraws; ++i) drawn.Add(method.draw(number, epsilon, random));
        const double variance = method.variance(number, epsilon);
        EXPECT_NEAR(drawn.mean(), number, kSigmas * std::sqrt(variance / kDraws));
        // A squared Laplace variable has five times the square of its variance in variance, those
        // of the others, which are bounded, at most that.
        EXPECT_NEAR(drawn.variance() / variance, 1, kSigmas * std::sqrt(5.0 / kDraws));
      }
    }
  }
}

TEST(LocalMeanTest, ReportsArePrivateByEnumeration) {
  for (const double epsilon : {0.3, 1.0, 4.0}) {
    EXPECT_NEAR(std::log(DuchiPlus(1, epsilon) / DuchiPlus(-1, epsilon)), epsilon, 1e-12);
    EXPECT_NEAR(DuchiPlus(1, epsilon) + DuchiPlus(-1, epsilon), 1, 1e-12);
    for (const double number : {-1.0, 0.3, 1.0}) {
      const PiecewiseLaw law = PiecewiseLawOf(number, epsilon);
      const double width = law.end - law.begin;
      const double outside = law.inside * std::exp(-epsilon);
      EXPECT_NEAR(law.inside * width + outside * (2 * law.reach - width), 1, 1e-12);
      EXPECT_GE(law.begin, -law.reach - 1e-9);
      EXPECT_LE(law.end, law.reach + 1e-9);
      // Its mean.
      const double mean = (law.inside - outside) * (law.end * law.end - law.begin * law.begin) / 2;
      EXPECT_NEAR(mean, number, 1e-12);
    }
  }
}

TEST(LevelSumTest, DrawsHaveTheStatedMoments) {
  constexpr int kDraws = 200000;
  for (const LevelSum& sum : {LevelSum{1, 0.5}, {1, 0}, {4, 0.2}, {8, 0.9}}) {
    for (const double number : {-1.0, 0.1, 0.5}) {
      Generator random(2);
      Moments drawn;
      for (int i = 0; i < kDraws; ++i) drawn.Add(sum.Estimate(sum.Draw(number, random)));
      const double variance = sum.Variance(number);
      EXPECT_NEAR(drawn.mean(), number, kSigmas * std::sqrt(variance / kDraws) + 1e-12);
      EXPECT_NEAR(drawn.variance(), variance, kSigmas * std::sqrt(5.0 / kDraws) * variance + 1e-12);
    }
  }
}

TEST(LevelSumTest, MeetsItsTargetWithTheBestSteps) {
  const auto target = Target::Create(100000, 0.5, 1e-6);
  ASSERT_TRUE(target.ok());
  const auto binary = PlanLevelSum(1, *target), real = PlanRealSum(*target);
  ASSERT_TRUE(binary.ok() && real.ok());
  EXPECT_GT(real->steps, 1);
  EXPECT_GT(real->gamma, binary->gamma);
  EXPECT_LT(real->Variance(0.1), binary->Variance(0.1));
}

TEST(DitheredLevelsTest, AreBetterThanOneMessage) {
  const auto levels = PlanDitheredLevels(1e6, 0.5, 1e-6);
  const auto target = Target::Create(1000000, 0.5, 1e-6);
  ASSERT_TRUE(levels.ok() && target.ok());
  // 136.1 is the least mean for one cell at (0.5, 1e-6).
  EXPECT_NEAR(levels->mean, 136.1, 0.05);
  EXPECT_LT(levels->MeanVariance(1e6, RoundingVariance(0.1, levels->steps)),
            PlanRealSum(*target)->Variance(0.1) / 1e6);
  // Levels -1, 0 and 1: two cells' noise.
  EXPECT_NEAR((DitheredLevels{2, 100}.MeanVariance(10, 0)), 2 * 100.0 / 100, 1e-12);
}

TEST(PriveletTest, IsTheHaarWaveletWithTheStatedSensitivity) {
  const Privelet wavelet(16, 1);
  std::vector<double> counts(16);
  std::iota(counts.begin(), counts.end(), 3.0);
  const std::vector<double> back = wavelet.Counts(wavelet.Coefficients(counts));
  for (size_t i = 0; i < counts.size(); ++i) EXPECT_NEAR(back[i], counts[i], 1e-12);
  // A number in another bin: what the noise hides, over its scale, is at most epsilon, and is it
  // for the first bin and the last but for what both change, the mean.
  std::vector<double> moved = counts;
  moved.front() -= 1;
  moved.back() += 1;
  const auto before = wavelet.Coefficients(counts), after = wavelet.Coefficients(moved);
  double loss = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    loss += std::fabs(after[i] - before[i]) / wavelet.ScaleOf(i);
  }
  EXPECT_LE(loss, 1 + 1e-12);
  EXPECT_GT(loss, 0.75);
}

TEST(PriveletTest, RangesHaveTheStatedVariance) {
  const Privelet wavelet(16, 1);
  const std::vector<double> counts(16, 5);
  constexpr int kRuns = 20000;
  struct Asked {
    int64_t begin, end;
  };
  for (const Asked& asked : {Asked{0, 16}, {0, 8}, {3, 4}, {3, 12}, {5, 7}}) {
    Generator noise(3);
    Moments drawn;
    for (int run = 0; run < kRuns; ++run) {
      const std::vector<double> found = wavelet.Draw(counts, noise);
      drawn.Add(std::accumulate(found.begin() + asked.begin, found.begin() + asked.end, 0.0));
    }
    const double variance = wavelet.RangeVariance(asked.begin, asked.end);
    EXPECT_NEAR(drawn.mean(), 5.0 * static_cast<double>(asked.end - asked.begin),
                kSigmas * std::sqrt(variance / kRuns));
    EXPECT_NEAR(drawn.variance() / variance, 1, kSigmas * std::sqrt(5.0 / kRuns));
  }
}

TEST(NoiseFirstTest, FindsTheBestOfAllPartitions) {
  const std::vector<double> noisy = {1, 2, 9, 8, 8.5, 1.5};
  const double variance = 0.7;
  const std::vector<double> merged = MergeRuns(noisy, variance);
  double least = 1e9;
  for (uint32_t cuts = 0; cuts < 32; ++cuts) {  // bit i: a cut behind bin i
    double cost = 0;
    for (size_t begin = 0, end = 0; begin < noisy.size(); begin = end) {
      double sum = 0, squares = 0;
      do {
        sum += noisy[end];
        squares += noisy[end] * noisy[end];
        ++end;
      } while (end < noisy.size() && (cuts >> (end - 1) & 1) == 0);
      cost += squares - sum * sum / static_cast<double>(end - begin) + 2 * variance;
    }
    least = std::min(least, cost);
  }
  double found = 0;
  for (size_t i = 0; i < noisy.size(); ++i) {
    found += std::pow(noisy[i] - merged[i], 2);
    if (i == 0 || merged[i] != merged[i - 1]) found += 2 * variance;
  }
  EXPECT_NEAR(found, least, 1e-12);
}

TEST(NoiseFirstTest, IsBetterThanNoiseAloneOnFlatData) {
  const std::vector<double> counts(64, 100);
  Generator noise(4);
  double squares = 0;
  for (int run = 0; run < 200; ++run) {
    squares += std::pow(RangeError(counts, NoiseFirst(counts, 0.1, noise)), 2) / 200;
  }
  EXPECT_LT(std::sqrt(squares), FlatDeviation(64, 2 * 20 * 20));
}

TEST(RangeErrorTest, IsOverAllRanges) {
  const std::vector<double> counts = {1, 2, 3}, off = {2, 2, 5};
  // Ranges: 1, 0, 2, 1, 2, 3.
  EXPECT_NEAR(RangeError(counts, off), std::sqrt((1 + 0 + 4 + 1 + 4 + 9) / 6.0), 1e-12);
  // Widths 1, 1, 1, 2, 2, 3.
  EXPECT_NEAR(FlatDeviation(3, 1), std::sqrt(10 / 6.0), 1e-12);
}

// The mean over all ranges; and Boost is Laplace noise on the levels' tree.
TEST(TreeDeviationTest, HasTheReferenceVariances) {
  EXPECT_NEAR(TreeDeviation(125, 5, 1), std::sqrt(2.991550776583033), 1e-8);
  EXPECT_NEAR(TreeDeviation(64, 4, 1), std::sqrt(2.1947458791208785), 1e-8);
  EXPECT_NEAR(BoostRanges(64, 4, 1).Deviation(), std::sqrt(2 * 36 * 2.1947458791208785), 1e-6);
}

}  // namespace
}  // namespace tombola::lab
