#include "common/accounting/blanket.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "common/accounting/binomial.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Blanket Batch(int64_t honest, double range, double kappa, int64_t fakes = 0) {
  return {honest, range, GammaOf(range, kappa), fakes};
}

double MustDelta(const Blanket& blanket, double epsilon) {
  const absl::StatusOr<double> delta = Delta(blanket, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return delta.value_or(kNan);
}

Blanket Messages(double range, double gamma, double collision = 0) {
  return {.honest = 1, .range = range, .gamma = gamma, .collision = collision};
}

// The law of a sum of two binomials.
std::vector<double> Convolved(const Binomial& one, const Binomial& two) {
  std::vector<double> law(static_cast<size_t>(one.trials + two.trials) + 1, 0.0);
  for (int64_t i = 0; i <= one.trials; ++i) {
    for (int64_t j = 0; j <= two.trials; ++j) {
      law[static_cast<size_t>(i + j)] += BinomialPmf(one, i) * BinomialPmf(two, j);
    }
  }
  return law;
}

// The definition, term by term over (a, b): of the b messages that support the other value, each
// supports the victim's with the probability of a collision.
double ByDefinition(int64_t m, const Blanket& blanket, double epsilon) {
  const double range = blanket.range, gamma = blanket.gamma, collision = blanket.collision;
  const double other = (1 - collision) / (range - 1);
  double sum = 0;
  for (int64_t b = 0; b <= m; ++b) {
    const double weight = BinomialPmf({m, 1 / range, 1 - 1 / range}, b);
    const std::vector<double> law =
        Convolved({b, collision, 1 - collision}, {m - b, other, 1 - other});
    for (size_t a = 0; a < law.size(); ++a) {
      const double ratio =
          gamma * -std::expm1(epsilon) +
          (1 - gamma) * range / static_cast<double>(m) *
              (static_cast<double>(a) - std::exp(epsilon) * static_cast<double>(b));
      sum += weight * law[a] * std::max(0.0, ratio);
    }
  }
  return sum;
}

TEST(BlanketGivenMessagesTest, AgreesWithTheReference) {
  const struct {
    int64_t m;
    double range, gamma, epsilon, value;
  } kCases[] = {{1, 2, 0.5, 0.1, 0.47370727048108807},
                {10, 3, 0.2, 0.5, 0.10037241874190508},
                {1000, 10, 0.5, 0.2, 5.4069674082109006e-05},
                {64664, 600, 0.10777, 0.5, 9.901455020389527e-07},
                {81634, 600, 0.0, 0.5, 1.0023152392066149e-06},
                {500000, 100, 0.02, 0.1, 6.513151410209559e-10}};
  for (const auto& c : kCases) {
    EXPECT_NEAR(BlanketGivenMessages(c.m, Messages(c.range, c.gamma), c.epsilon) / c.value, 1, 1e-8)
        << c.m;
  }
}

// Without collisions, and where supports are independent, one binomial says it all.
TEST(BlanketGivenMessagesTest, AgreesWithItsDefinition) {
  for (const int64_t m : {1, 2, 3, 17, 80}) {
    for (const double range : {2.0, 2.5, 3.0, 40.0}) {
      for (const double gamma : {0.0, 0.01, 0.3}) {
        for (const double epsilon : {0.001, 0.4, 1.5, 4.0}) {
          for (const double collision : {0.0, 1 / range}) {
            const Blanket messages = Messages(range, gamma, collision);
            const double expected = ByDefinition(m, messages, epsilon);
            EXPECT_NEAR(BlanketGivenMessages(m, messages, epsilon), expected, 1e-11 * expected)
                << m << " " << range << " " << gamma << " " << epsilon << " " << collision;
          }
        }
      }
    }
  }
}

TEST(BlanketGivenMessagesTest, IsAboveItsDefinitionForAnyCollisionsAndCloseForAPlane) {
  for (const int64_t m : {1, 2, 7, 40, 120}) {
    for (const double range : {2.0, 3.0, 7.0, 11.0, 31.0}) {
      for (const double gamma : {0.0, 0.1, 0.4}) {
        for (const double epsilon : {0.05, 0.4, 1.5}) {
          for (const double collision : {0.01 / range, 0.5 / range, 1 / (range + 1)}) {
            const Blanket messages = Messages(range, gamma, collision);
            const double expected = ByDefinition(m, messages, epsilon);
            const double bound = BlanketGivenMessages(m, messages, epsilon);
            EXPECT_GE(bound, expected * (1 - 1e-11))
                << m << " " << range << " " << gamma << " " << epsilon << " " << collision;
            if (range < 11 || collision < 1 / (range + 1) || expected < 1e-9) continue;
            EXPECT_LE(bound, expected * 1.06)
                << m << " " << range << " " << gamma << " " << epsilon;
          }
        }
      }
    }
  }
}

TEST(BlanketGivenMessagesTest, NeverGrowsWithTheMessages) {
  for (const double range : {2.0, 3.0, 50.0}) {
    for (const double collision : {0.0, 1 / range}) {
      double last = 1;
      for (int64_t m = 1; m < 400; ++m) {
        const double value = BlanketGivenMessages(m, Messages(range, 0.1, collision), 0.7);
        EXPECT_LE(value, last * (1 + 1e-10)) << m;
        last = value;
      }
    }
  }
}

// In the limit epsilon goes with the square root of 1 - collision.
TEST(DeltaTest, CountsCollisionsIn) {
  for (const double range : {2.0, 11.0, 19.0}) {
    const Blanket none{.honest = 100000, .range = range, .gamma = 0.5};
    Blanket plane = none, affine = none;
    plane.collision = 1 / (range + 1);
    affine.collision = 1 / range;
    for (const double epsilon : {0.02, 0.05}) {
      EXPECT_LT(MustDelta(plane, epsilon), MustDelta(none, epsilon));
      EXPECT_LT(MustDelta(affine, epsilon), MustDelta(plane, epsilon));
    }
    const double alone = MustDelta({.honest = 1, .range = range, .gamma = 0.5}, 0.1);
    const double collided =
        MustDelta({.honest = 1, .range = range, .gamma = 0.5, .collision = affine.collision}, 0.1);
    EXPECT_NEAR(collided / alone, 1 - affine.collision, 1e-8);
  }
}

TEST(LocalEpsilonTest, IsTheBudgetOfOneMessage) {
  EXPECT_NEAR(LocalEpsilon(10, GammaOf(10, std::expm1(2.0))), 2, 1e-14);
  EXPECT_EQ(LocalEpsilon(10, 0), kInfinity);
}

struct Reference {
  int64_t honest;
  double range, kappa, epsilon, low, high;
};

// The sum over every m (or, in the last case, a lower bound of the true delta), and 24 bins (200).
TEST(DeltaTest, LiesBetweenTheExactValueAndACoarseBound) {
  const Reference kCases[] = {
      {2, 3, 2, 0.9162907318741551, 0.06, 0.060000000000000046 * 1.05},
      {8, 3, 4, 0.9162907318741551, 0.07580894813194762, 0.07580894813194768 * 1.05},
      {1000, 100, 60, 0.7, 2.367168098885918e-05, 2.511810558004238e-05 * 1.05},
      {10000, 100, 300, 0.5, 0.0009506081837450099, 0.0009739399303026067 * 1.05},
      {600000, 600, 4900, 0.5, 8.566228643247743e-07, 8.67893244105608e-07 * 1.05},
      {602325, 915, 3000, 0.4, 6.377052355663974e-08, 6.384219197215209e-08 * 1.02}};
  for (const Reference& c : kCases) {
    const double delta = MustDelta(Batch(c.honest, c.range, c.kappa), c.epsilon);
    EXPECT_GE(delta, c.low * (1 - 1e-9)) << c.honest;
    EXPECT_LE(delta, c.high) << c.honest;
  }
}

// Exact in rationals, over all data sets. The second number is for a batch of eight.
TEST(DeltaTest, IsNotBelowTheTrueWorstCaseOfRandomisedResponse) {
  EXPECT_NEAR(MustDelta(Batch(2, 3, 2), std::log(2.5)), 0.06, 1e-9);
  EXPECT_GE(MustDelta(Batch(2, 3, 2), std::log(2.5)), 0.06);
  EXPECT_GE(MustDelta(Batch(8, 3, 4), std::log(2.5)), 0.071091);
}

TEST(DeltaTest, ExceedsTheSumOverEveryNumberOfMessagesByHalfAPercentAtMost) {
  const Reference kCases[] = {{3000, 5, 4, 0.2, 0, 0},
                              {20000, 20, 60, 0.3, 0, 0},
                              {20000, 3, 8, 0.15, 0, 0},
                              {60000, 100, 150, 0.3, 0, 0},
                              {150000, 20, 1500, 0.8, 0, 0}};
  for (const Reference& c : kCases) {
    const Blanket batch = Batch(c.honest, c.range, c.kappa);
    const Binomial others{c.honest - 1, batch.gamma, 1 - batch.gamma};
    double exact = 0;
    for (int64_t k = BinomialLowPoint(others, 60); k <= BinomialHighPoint(others, 60); ++k) {
      exact += BinomialPmf(others, k) * BlanketGivenMessages(k + 1, batch, c.epsilon);
    }
    const double delta = MustDelta(batch, c.epsilon);
    EXPECT_GT(exact, 1e-20);
    EXPECT_GE(delta, exact) << c.honest;
    EXPECT_LE(delta, exact * 1.005) << c.honest << " delta " << exact;
  }
}

TEST(DeltaTest, WithoutABlanketIsTheDivergenceAmongTheFakes) {
  const Blanket batch{1000000, 600, 0, 81633};
  EXPECT_NEAR(MustDelta(batch, 0.5) / 1.0023152392066149e-06, 1, 1e-8);
  const Blanket alone{1000000, 600, 0, 0};
  EXPECT_EQ(MustDelta(alone, 5), 1);
}

TEST(DeltaTest, IsTheDeltaOfTheMessageItselfForOneSubmission) {
  // p - e^epsilon q with kappa = 4, range = 3: (5 - e) / 7.
  EXPECT_NEAR(MustDelta(Batch(1, 3, 4), 1), (5 - std::exp(1.0)) / 7, 1e-8);
}

TEST(DeltaTest, IsZeroFromTheLocalEpsilonOn) {
  const Blanket batch = Batch(100, 10, std::expm1(3.0));
  EXPECT_GT(MustDelta(batch, 2.99), 0);
  EXPECT_EQ(MustDelta(batch, LocalEpsilon(batch.range, batch.gamma)), 0);
  EXPECT_EQ(MustDelta(batch, 100), 0);
}

TEST(DeltaTest, FallsWithEpsilonAcrossItsWholeRange) {
  for (const Blanket& batch : {Batch(100000000, 600, 7.2e6), Batch(2000, 2, 50), Batch(50, 3, 1e6),
                               Batch(100000, 40, 3000, 500)}) {
    double last = 1;
    for (double epsilon = 0.01; epsilon < 20; epsilon *= 1.15) {
      const double delta = MustDelta(batch, epsilon);
      EXPECT_LE(delta, last * (1 + 1e-9)) << batch.honest << " at " << epsilon;
      last = delta;
    }
  }
}

// Bins cost at most half a per cent, so larger steps must show.
TEST(DeltaTest, FallsWithSubmissionsAndFakesAndGrowsWithTheLocalBudget) {
  double last = 1;
  for (const int64_t honest : {10, 30, 100, 300, 1000, 3000, 10000}) {
    const double delta = MustDelta(Batch(honest, 20, 30), 0.4);
    EXPECT_LT(delta, last) << honest;
    last = delta;
  }
  last = 1;
  for (const int64_t fakes : {0, 10, 100, 1000, 10000}) {
    const double delta = MustDelta(Batch(3000, 20, 100, fakes), 0.4);
    EXPECT_LT(delta, last) << fakes;
    last = delta;
  }
  last = 0;
  for (const double kappa : {1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e6}) {
    const double delta = MustDelta(Batch(100000, 20, kappa), 0.1);
    EXPECT_GT(delta, last) << kappa;
    last = delta;
  }
}

TEST(DeltaTest, StaysFiniteAtTheEdges) {
  const Blanket kCases[] = {{kLargestBatch, 2, 0.5, kLargestBatch},
                            {kLargestBatch, 1e12, 1e-9, 0},
                            {100, 1e300, 0.5, 0},
                            {100, 2, std::nextafter(1.0, 0.0), 0},
                            {100, 5, 1e-308, 3}};
  for (const Blanket& batch : kCases) {
    for (const double epsilon : {1e-9, 1.0, 1e3, 1e300}) {
      const double delta = MustDelta(batch, epsilon);
      EXPECT_GE(delta, 0);
      EXPECT_LE(delta, 1);
    }
  }
}

TEST(DeltaTest, OrEnoughTellsTheSideOfEveryTarget) {
  const Blanket kCases[] = {{kLargestBatch, 16, 0.9, 0},
                            {kLargestBatch, 16, 0.9, 1000},
                            {100000, 20, 0.3, 0},
                            {100, 5, 0.5, 3},
                            {1, 5, 0.5, 0}};
  for (const Blanket& batch : kCases) {
    for (const double epsilon : {1e-5, 0.3, 50.0}) {
      const double delta = MustDelta(batch, epsilon);
      EXPECT_EQ(DeltaOrEnough(batch, epsilon, 1e-29).value(), delta);
      for (const double enough : {1e-31, 1e-100, 1e-300}) {
        const double told = DeltaOrEnough(batch, epsilon, enough).value();
        EXPECT_EQ(told > enough, delta > enough);
        EXPECT_LE(told, delta);
        if (delta <= enough) {
          EXPECT_EQ(told, delta);
        }
      }
    }
  }
  EXPECT_FALSE(DeltaOrEnough({0, 5, 0.5, 0}, 1, 1e-300).ok());
  EXPECT_FALSE(DeltaOrEnough({100, 5, 0.5, 0}, -1, 1e-300).ok());
}

TEST(DeltaTest, RefusesEachFieldOutOfRangeByName) {
  const Blanket valid{100, 10, 0.5, 0};
  const auto expect = [](const Blanket& blanket, double epsilon, const char* field) {
    const absl::Status status = Delta(blanket, epsilon).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(field));
  };
  Blanket broken = valid;
  for (const int64_t honest : {int64_t{0}, int64_t{-5}, kLargestBatch + 1}) {
    broken.honest = honest;
    expect(broken, 1, "honest must be in [1, 2^40]");
  }
  broken = valid;
  for (const double range : {1.99, 0.0, kNan, kInfinity}) {
    broken.range = range;
    expect(broken, 1, "range must be finite and at least 2");
  }
  broken = valid;
  for (const double gamma : {-0.1, 1.0, kNan}) {
    broken.gamma = gamma;
    expect(broken, 1, "gamma must be in [0, 1)");
  }
  broken = valid;
  for (const int64_t fakes : {int64_t{-1}, kLargestBatch + 1}) {
    broken.fakes = fakes;
    expect(broken, 1, "fakes must be in [0, 2^40]");
  }
  for (const double epsilon : {0.0, -1.0, kNan, kInfinity}) {
    expect(valid, epsilon, "epsilon must be finite and greater than 0");
  }
  EXPECT_FALSE(Delta(Blanket{}, 1).ok());
}

}  // namespace
}  // namespace tombola::accounting
