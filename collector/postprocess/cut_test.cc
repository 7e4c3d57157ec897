#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "collector/postprocess/postprocess.h"
#include "common/random/random_source.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<double> Noisy(size_t size, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> noise(1.0 / static_cast<double>(size), 0.05);
  std::vector<double> x(size);
  for (double& entry : x) entry = noise(engine);
  return x;
}

TEST(BaseCutTest, CutsAndLeavesTheRestAlone) {
  EXPECT_THAT(*BaseCut({0.9, 0.05, -0.1, 0.1, 0.0999}, 0.1), ElementsAre(0.9, 0, 0, 0.1, 0));
  EXPECT_THAT(*BaseCut({0.9, -0.05, -0.2}, -0.1), ElementsAre(0.9, -0.05, 0));
  EXPECT_THAT(*BaseCut({0.01, 0.02}, 0.5), ElementsAre(0, 0));
}

TEST(NormSubTest, ProjectsWhatTheCutLeaves) {
  // 0.9 and 0.3 are left, 0.2 too much: each gives 0.1.
  EXPECT_THAT(*NormSub({0.9, 0.05, 0.3, -0.2}, 0.1),
              Pointwise(DoubleNear(1e-15), {0.8, 0.0, 0.2, 0.0}));
  // 0.5 and 0.3 are left, 0.2 too little.
  EXPECT_THAT(*NormSub({0.09, 0.5, 0.3}, 0.1), Pointwise(DoubleNear(1e-15), {0.0, 0.6, 0.4}));
  // The projection itself drops another one.
  EXPECT_THAT(*NormSub({2.0, 0.5, 0.3}, 0.4), ElementsAre(1, 0, 0));
}

TEST(NormSubTest, GivesAllToTheLargestIfNothingIsLeft) {
  EXPECT_THAT(*NormSub({0.01, 0.03, 0.02}, 0.5), ElementsAre(0, 1, 0));
  EXPECT_THAT(*NormSub({-0.2, -0.1, -0.1}, 0), ElementsAre(0, 1, 0));
}

TEST(NormSubTest, IsPopWithoutACutAndAHistogramWithOne) {
  SeededRandom random(1);
  for (int run = 0; run < 500; ++run) {
    const std::vector<double> x = Noisy(1 + UniformBelow(80, random), random.Next64());
    EXPECT_EQ(*NormSub(x, -10), *Pop(x));
    for (const double threshold : {-0.02, 0.0, 0.03, 0.1}) {
      const std::vector<double> y = *NormSub(x, threshold);
      EXPECT_NEAR(std::accumulate(y.begin(), y.end(), 0.0), 1, 1e-12);
      const bool nothing_left = *std::max_element(x.begin(), x.end()) < threshold;
      for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_GE(y[i], 0);
        if (x[i] < threshold && !nothing_left) {
          EXPECT_EQ(y[i], 0);
        }
      }
    }
  }
}

TEST(CutTest, RefusesWhatIsNoEstimate) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& cut : {&BaseCut, &NormSub}) {
    EXPECT_EQ(cut({}, 0.1).status().code(), absl::StatusCode::kInvalidArgument);
    for (const double bad : {nan, infinity, -infinity}) {
      const auto entry = cut({0.5, bad}, 0.1);
      EXPECT_EQ(entry.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(entry.status().message()), HasSubstr("raw[1]"));
      const auto threshold = cut({0.5, 0.5}, bad);
      EXPECT_EQ(threshold.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(threshold.status().message()), HasSubstr("threshold"));
    }
  }
}

}  // namespace
}  // namespace tombola::collector
