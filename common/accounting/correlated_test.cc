#include "common/accounting/correlated.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

// The law of (N1 + F, N2 + F) for one value, up to `side` - 1 each, from the definition.
std::vector<std::vector<double>> Joint(const CorrelatedNoise& noise, int side) {
  const double p = std::exp(-noise.noise_epsilon);
  std::vector<std::vector<double>> joint(side, std::vector<double>(side, 0.0));
  double flood = std::pow(1 - noise.flood, noise.shape);
  for (int f = 0; f < side; ++f) {
    for (int u = f; u < side; ++u) {
      for (int w = f; w < side; ++w) {
        joint[u][w] += flood * (1 - p) * (1 - p) * std::pow(p, u - f + w - f);
      }
    }
    flood *= (f + noise.shape) / (f + 1) * noise.flood;
  }
  return joint;
}

// The divergence of the four counts of two values, one of which has one more +1. The likelihoods
// with and without that +1 are all that matters of one value, so pairs of cells are summed.
double BruteForce(const CorrelatedNoise& noise, double epsilon, int side) {
  const auto joint = Joint(noise, side);
  struct Cell {
    double more, same;
  };
  std::vector<Cell> cells;
  for (int u = 0; u < side; ++u) {
    for (int w = 0; w < side; ++w) {
      cells.push_back({u == 0 ? 0 : joint[u - 1][w], joint[u][w]});
    }
  }
  const double growth = std::exp(epsilon);
  double sum = 0;
  for (const Cell& a : cells) {
    for (const Cell& b : cells) sum += std::max(0.0, a.more * b.same - growth * a.same * b.more);
  }
  return sum;
}

TEST(CorrelatedTest, AgreesWithTheReference) {
  const struct {
    double epsilon;
    CorrelatedNoise noise;
    double delta;
  } kCases[] = {{1.0, {0.35, 6, 0.8}, 0.0012213938399400711},
                {0.8, {0.3, 5, 0.85}, 0.0015732322824608585},
                {1.0, {0.45, 13.7564697265625, 0.9525741268224334}, 9.999706998698023e-07}};
  for (const auto& c : kCases) {
    const absl::StatusOr<double> delta = CorrelatedDelta(c.noise, c.epsilon);
    ASSERT_TRUE(delta.ok()) << delta.status();
    EXPECT_NEAR(*delta / c.delta, 1, 1e-8) << c.delta;
  }
}

// Side 45: beyond it lies less than 45 e^-1.2*45 + ... < 1e-17 of the mass.
TEST(CorrelatedTest, IsTheDivergenceOfTheCountsAndNeverBelow) {
  const CorrelatedNoise kNoises[] = {{1.2, 1, 0.3}, {1.5, 2.5, 0.25}, {2.0, 4, 0.2}};
  for (const CorrelatedNoise& noise : kNoises) {
    for (const double epsilon : {0.3, 1.0, 3.0, 4.5}) {
      const double truth = BruteForce(noise, epsilon, 45);
      const absl::StatusOr<double> delta = CorrelatedDelta(noise, epsilon);
      ASSERT_TRUE(delta.ok()) << delta.status();
      EXPECT_GE(*delta, truth * (1 - 1e-12)) << noise.noise_epsilon << " " << epsilon;
      EXPECT_LE(*delta, truth * (1 + 3e-9) + 1e-14) << noise.noise_epsilon << " " << epsilon;
    }
  }
}

TEST(CorrelatedTest, MoreFloodNeverHurts) {
  double last = 1;
  for (double shape = 1; shape < 20; shape += 0.5) {
    const double delta = *CorrelatedDelta({0.225, shape, 0.95}, 0.5);
    EXPECT_LE(delta, last * (1 + 1e-8)) << shape;
    last = delta;
  }
}

TEST(CorrelatedTest, CountsItsMessages) {
  EXPECT_NEAR(ExpectedMessages({0.225, 14.826904296875, 0.9706877692486436}), 989.9256311649378,
              1e-6);
}

TEST(CorrelatedEpsilonTest, ReturnsAPointThatMeetsTheTarget) {
  const CorrelatedNoise noise{0.225, 14.826904296875, 0.9706877692486436};
  const absl::StatusOr<double> epsilon = CorrelatedEpsilon(noise, 1e-6);
  ASSERT_TRUE(epsilon.ok()) << epsilon.status();
  EXPECT_NEAR(*epsilon, 0.5, 1e-4);
  EXPECT_LE(*CorrelatedDelta(noise, *epsilon), 1e-6);
  EXPECT_GT(*CorrelatedDelta(noise, *epsilon * (1 - 2e-6)), 1e-6);
}

TEST(CorrelatedTest, NamesTheFieldThatIsOutOfRange) {
  EXPECT_THAT(CorrelatedDelta({0, 2, 0.5}, 1).status().message(), HasSubstr("noise_epsilon"));
  EXPECT_THAT(CorrelatedDelta({0.1, 0.9, 0.5}, 1).status().message(), HasSubstr("shape"));
  EXPECT_THAT(CorrelatedDelta({0.1, 2, 1}, 1).status().message(), HasSubstr("flood"));
  EXPECT_THAT(CorrelatedDelta({0.1, 2, 0.5}, 0).status().message(), HasSubstr("epsilon"));
}

}  // namespace
}  // namespace tombola::accounting
