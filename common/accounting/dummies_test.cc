#include "common/accounting/dummies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/accounting/binomial.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/two_bucket.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

double MustDelta(const Blanket& blanket, const absl::StatusOr<NoiseLaw>& dummies, double epsilon) {
  EXPECT_TRUE(dummies.ok()) << dummies.status();
  const absl::StatusOr<double> delta = DummiesDelta(blanket, *dummies, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

TEST(FixedDummiesTest, AreFakesOfABlanketWithoutGamma) {
  const Blanket small{.honest = 1, .range = 10, .gamma = 0, .fakes = 1000};
  EXPECT_NEAR(*Delta(small, 0.5) / 1.2720065434360418e-05, 1, 1e-8);
  const Blanket large{.honest = 1, .range = 42178, .gamma = 0, .fakes = 5740000};
  EXPECT_NEAR(*Delta(large, 0.5) / 1.0004298452941541e-06, 1, 1e-8);
}

// The reference is a bound by 200 bins.
TEST(DummiesTest, ADummyByChanceAgreesWithTheReference) {
  const Blanket truthful{.honest = 10000, .range = 10, .gamma = 0};
  const double delta = MustDelta(truthful, BinomialNoise(10000, 0.1361), 0.5);
  EXPECT_LE(delta, 1.0019016118351604e-06 * (1 + 1e-8));
  EXPECT_GE(delta, 1.0019016118351604e-06 * 0.98);
}

// A Poisson number of uniform dummies makes the counts of the values independent.
TEST(DummiesTest, PoissonDummiesAreIndependentPoissonCounts) {
  for (const double domain : {2.0, 10.0, 50.0}) {
    for (const double lambda : {3.0, 40.0}) {
      const double counts = *TwoBucketDelta(*PoissonNoise(lambda), 0.5);
      const Blanket truthful{.honest = 1, .range = domain, .gamma = 0};
      const double messages = MustDelta(truthful, PoissonNoise(lambda * domain), 0.5);
      EXPECT_GE(messages, counts * (1 - 1e-8)) << domain << " " << lambda;
      EXPECT_LE(messages, counts * 1.005) << domain << " " << lambda;
    }
  }
}

// With many messages a bin is as wide as the law's whole bulk: a coarse one from below that reached
// into it would cost 1.9 %.
TEST(DummiesTest, IsWithinHalfAPercentOfTheTruthOfManyPoissonDummies) {
  for (const double domain : {42178.0, 262144.0, 1048576.0}) {
    for (const double epsilon : {0.1, 0.5, 1.0}) {
      const double lambda = *SmallestPoissonMean(epsilon, 1e-6);
      const double counts = *TwoBucketDelta(*PoissonNoise(lambda), epsilon);
      const Blanket truthful{.honest = 1, .range = domain, .gamma = 0};
      const double messages = MustDelta(truthful, PoissonNoise(lambda * domain), epsilon);
      EXPECT_GE(messages, counts * (1 - 1e-8)) << domain << " " << epsilon;
      EXPECT_LE(messages, counts * 1.005) << domain << " " << epsilon;
    }
  }
}

// Every number of messages by itself, the two numbers convolved.
TEST(DummiesTest, IsWithinHalfAPercentOfTheTruthOfBlanketsAndDummies) {
  const Blanket blanket{.honest = 200000, .range = 600, .gamma = 0.25};
  const Binomial others{blanket.honest - 1, blanket.gamma, 1 - blanket.gamma};
  const NoiseLaw dummies = *PoissonNoise(30000);
  const int64_t low = BinomialLowPoint(others, 40), high = BinomialHighPoint(others, 40);
  std::vector<double> law(static_cast<size_t>(high - low) + dummies.pmf.size(), 0.0);
  for (int64_t k = low; k <= high; ++k) {
    const double weight = BinomialPmf(others, k);
    for (size_t i = 0; i < dummies.pmf.size(); ++i) {
      law[static_cast<size_t>(k - low) + i] += weight * dummies.pmf[i];
    }
  }
  double exact = 0;
  for (size_t i = 0; i < law.size(); ++i) {
    if (law[i] < 1e-18) continue;
    const int64_t messages = 1 + low + dummies.low + static_cast<int64_t>(i);
    exact += law[i] * BlanketGivenMessages(messages, blanket, 0.45);
  }
  const double delta = *DummiesDelta(blanket, dummies, 0.45);
  EXPECT_GT(exact, 1e-9);
  EXPECT_GE(delta, exact * (1 - 1e-8));
  EXPECT_LE(delta, exact * 1.005);
}

TEST(DummiesTest, TheMeanNumberWouldUnderstate) {
  const Blanket truthful{.honest = 1, .range = 10, .gamma = 0, .fakes = 1360};
  const double fixed = *Delta(truthful, 0.5);
  const double random = MustDelta({.honest = 1, .range = 10, .gamma = 0}, PoissonNoise(1360), 0.5);
  EXPECT_GT(random, fixed * 1.03);
  EXPECT_LT(random, fixed * 1.04);
}

TEST(DummiesTest, EqualsTheSumOverEveryNumberOfMessages) {
  const Blanket blanket{.honest = 400, .range = 20, .gamma = 0.3, .fakes = 7};
  const NoiseLaw dummies = *PoissonNoise(90);
  for (const double epsilon : {0.3, 0.9}) {
    double exact = 0;
    for (size_t i = 0; i < dummies.pmf.size(); ++i) {
      Blanket fixed = blanket;
      fixed.fakes += dummies.low + static_cast<int64_t>(i);
      exact += dummies.pmf[i] * *Delta(fixed, epsilon);
    }
    const double delta = *DummiesDelta(blanket, dummies, epsilon);
    EXPECT_GE(delta, exact * (1 - 3e-9)) << epsilon;
    EXPECT_LE(delta, exact * 1.005) << epsilon;
  }
}

// Randomised response over `values` values by two devices, of which the second is the victim, and
// `dummies` uniform messages: the law of the counts of all messages, by enumeration.
class Enumeration {
 public:
  Enumeration(int values, double gamma) : values_(values), gamma_(gamma) {}

  std::vector<double> View(int other, int victim, int dummies) const {
    const int messages = 2 + dummies;
    std::vector<double> view(static_cast<size_t>(std::pow(messages + 1, values_)), 0.0);
    const int outcomes = static_cast<int>(std::pow(values_, messages));
    for (int outcome = 0; outcome < outcomes; ++outcome) {
      double probability = 1;
      size_t index = 0;
      for (int i = 0, rest = outcome; i < messages; ++i, rest /= values_) {
        const int said = rest % values_;
        const double uniform = 1.0 / values_;
        const double truth = i == 0 ? said == other : said == victim;
        probability *= i < 2 ? gamma_ * uniform + (1 - gamma_) * truth : uniform;
        index += static_cast<size_t>(std::pow(messages + 1, said));
      }
      view[index] += probability;
    }
    return view;
  }

  double Worst(int dummies, double epsilon) const {
    double worst = 0;
    for (int other = 0; other < values_; ++other) {
      for (int v = 0; v < values_; ++v) {
        for (int w = 0; w < values_; ++w) {
          const auto p = View(other, v, dummies), q = View(other, w, dummies);
          double sum = 0;
          for (size_t i = 0; i < p.size(); ++i) {
            sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
          }
          worst = std::max(worst, sum);
        }
      }
    }
    return worst;
  }

 private:
  int values_;
  double gamma_;
};

// The number of dummies can be read from the batch, so the truth is the mean over it.
TEST(DummiesTest, IsNeverBelowTheTruthOfATinyBatch) {
  const Binomial coins{3, 0.4, 0.6};
  for (const int values : {2, 3}) {
    for (const double gamma : {0.0, 0.2, 0.6}) {
      for (const double epsilon : {0.2, 0.8}) {
        const Enumeration all(values, gamma);
        double truth = 0;
        for (int dummies = 0; dummies <= 3; ++dummies) {
          truth += BinomialPmf(coins, dummies) * all.Worst(dummies, epsilon);
        }
        const Blanket blanket{.honest = 2, .range = static_cast<double>(values), .gamma = gamma};
        const double delta = MustDelta(blanket, BinomialNoise(3, 0.4), epsilon);
        EXPECT_GE(delta, truth * (1 - 1e-9)) << values << " " << gamma << " " << epsilon;
      }
    }
  }
}

TEST(DummiesEpsilonTest, ReturnsAPointThatMeetsTheTargetBelowTheLocalEpsilon) {
  const Blanket blanket{.honest = 600000, .range = 600, .gamma = GammaOf(600, 10574.9)};
  const NoiseLaw dummies = *PoissonNoise(40826);
  const absl::StatusOr<double> epsilon = DummiesEpsilon(blanket, dummies, 1e-6);
  ASSERT_TRUE(epsilon.ok()) << epsilon.status();
  EXPECT_NEAR(*epsilon, 0.5, 0.0025);
  EXPECT_LE(*DummiesDelta(blanket, dummies, *epsilon), 1e-6);
  const Blanket one{.honest = 1, .range = 600, .gamma = GammaOf(600, std::expm1(1.0))};
  EXPECT_LE(*DummiesEpsilon(one, *PoissonNoise(1e-3), 1e-9), LocalEpsilon(one.range, one.gamma));
}

}  // namespace
}  // namespace tombola::accounting
