#include "common/accounting/noise_search.h"

#include <cmath>

#include "common/accounting/two_bucket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

TEST(SmallestPoissonMeanTest, AgreesWithTheReference) {
  const struct {
    double epsilon, delta, mean;
  } kCases[] = {{0.1, 1e-6, 2641.129972738182},  {0.2, 1e-6, 726.6875891443923},
                {0.3, 1e-6, 343.43775263380144}, {0.4, 1e-6, 203.133685989125},
                {0.5, 1e-6, 136.09618245688046}, {0.6, 1e-6, 98.7900181900038},
                {0.7, 1e-6, 75.87274554501428},  {0.8, 1e-6, 60.73897297112739},
                {0.9, 1e-6, 50.23980911272668},  {1.0, 1e-6, 42.654530573041555}};
  for (const auto& c : kCases) {
    const absl::StatusOr<double> mean = SmallestPoissonMean(c.epsilon, c.delta);
    ASSERT_TRUE(mean.ok()) << mean.status();
    EXPECT_NEAR(*mean / c.mean, 1, 1e-6) << c.epsilon;
    EXPECT_LE(*TwoBucketDelta(*PoissonNoise(*mean), c.epsilon), c.delta) << c.epsilon;
    EXPECT_GT(*TwoBucketDelta(*PoissonNoise(*mean * (1 - 2e-7)), c.epsilon), c.delta);
  }
}

TEST(SmallestPoissonMeanTest, WorksAtTheEdges) {
  const double tiny = *SmallestPoissonMean(0.001, 1e-9);
  EXPECT_LE(*TwoBucketDelta(*PoissonNoise(tiny), 0.001), 1e-9);
  const double large = *SmallestPoissonMean(20, 1e-6);
  EXPECT_NEAR(large, -std::log(1e-6), 1e-3);  // nothing hides a count without noise
  EXPECT_EQ(SmallestPoissonMean(1e-7, 1e-9).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(SmallestPoissonMean(0, 1e-9).status().message(), HasSubstr("epsilon"));
  EXPECT_THAT(SmallestPoissonMean(1, 0).status().message(), HasSubstr("delta"));
}

TEST(SmallestCoinTest, AgreesWithTheReference) {
  const struct {
    double epsilon, gamma;
  } kCases[] = {{0.1, 0.004421304845651268},
                {0.2, 0.001212579020392405},
                {0.3, 0.0005727054939207403},
                {0.5, 0.0002268708098303708}};
  for (const auto& c : kCases) {
    const absl::StatusOr<double> gamma = SmallestCoin(600000, c.epsilon, 1e-6);
    ASSERT_TRUE(gamma.ok()) << gamma.status();
    EXPECT_NEAR(*gamma / c.gamma, 1, 1e-5) << c.epsilon;
    EXPECT_LE(*TwoBucketDelta(*BinomialNoise(600000, *gamma), c.epsilon), 1e-6) << c.epsilon;
  }
  EXPECT_EQ(SmallestCoin(100, 0.5, 1e-6).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(SmallestCoin(0, 0.5, 1e-6).status().message(), HasSubstr("honest"));
}

TEST(SmallestShapeTest, AgreesWithTheReference) {
  const absl::StatusOr<double> shape = SmallestShape(0.225, 0.9706877692486436, 0.5, 1e-6);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_NEAR(*shape, 14.826904296875, 0.01);
  EXPECT_LE(*CorrelatedDelta({0.225, *shape, 0.9706877692486436}, 0.5), 1e-6);
  EXPECT_GT(*CorrelatedDelta({0.225, *shape * (1 - 2e-5), 0.9706877692486436}, 0.5), 1e-6);
}

// Means that grow by the fourth root of a node's width, by an independent implementation.
TEST(SmallestPoissonScaleTest, MatchesTheReference) {
  const struct {
    double epsilon, ratio;
    std::vector<double> means;
  } kCases[] = {{1, std::pow(5, 0.25), {77.97547988535423, 116.60053881170427, 174.35847360181958}},
                {0.5,
                 std::sqrt(2),
                 {366.4341595626147, 518.2161581702363, 732.8683191252294, 1036.4323163404727,
                  1465.7366382504588}}};
  for (const auto& c : kCases) {
    std::vector<double> shape;
    for (size_t level = 0; level < c.means.size(); ++level) {
      shape.push_back(3 * std::pow(c.ratio, level));
    }
    const absl::StatusOr<double> scale = SmallestPoissonScale(shape, c.epsilon, 1e-6);
    ASSERT_TRUE(scale.ok()) << scale.status();
    for (size_t level = 0; level < c.means.size(); ++level) {
      EXPECT_GE(*scale * shape[level], c.means[level] * (1 - 1e-6));
      EXPECT_LE(*scale * shape[level], c.means[level] * (1 + 1e-3));
    }
  }
}

TEST(SmallestPoissonScaleTest, OfLevelsThatAreAlikeIsThatOfSeveralCells) {
  const double mean = SmallestPoissonMean(0.5, 1e-6, 3).value();
  EXPECT_NEAR(*SmallestPoissonScale({1, 1, 1}, 0.5, 1e-6) / mean, 1, 2e-4);
}

TEST(SmallestPoissonScaleTest, RefusesLevelsThatThereCannotBe) {
  EXPECT_THAT(SmallestPoissonScale({}, 0.5, 1e-6).status().message(), HasSubstr("levels"));
  EXPECT_THAT(SmallestPoissonScale(std::vector<double>(25, 1), 0.5, 1e-6).status().message(),
              HasSubstr("levels must be in [1, 24]"));
  EXPECT_THAT(SmallestPoissonScale({1, 0}, 0.5, 1e-6).status().message(), HasSubstr("mean"));
}

// The reference is a grid as well: not more messages than there, up to half a percent.
TEST(SmallestFloodTest, NeedsNoMoreMessagesThanTheReference) {
  const struct {
    double epsilon, messages;
  } kCases[] = {{0.1, 3739.214981824361},
                {0.2, 2112.860866290351},
                {0.3, 1514.140086018199},
                {0.5, 989.9256311649378},
                {0.6, 851.86655703039}};
  for (const auto& c : kCases) {
    const absl::StatusOr<CorrelatedNoise> noise = SmallestFlood(0.45 * c.epsilon, c.epsilon, 1e-6);
    ASSERT_TRUE(noise.ok()) << noise.status();
    EXPECT_LE(*CorrelatedDelta(*noise, c.epsilon), 1e-6) << c.epsilon;
    EXPECT_LE(ExpectedMessages(*noise), c.messages * 1.005) << c.epsilon;
  }
}

TEST(SmallestFloodTest, RefusesNoiseThatNoFloodCanHide) {
  EXPECT_THAT(SmallestFlood(0.25, 0.5, 1e-6).status().message(), HasSubstr("noise_epsilon"));
}

}  // namespace
}  // namespace tombola::accounting
