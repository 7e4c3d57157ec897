#include "common/accounting/product.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "common/accounting/correlated.h"
#include "common/accounting/two_bucket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

double MustDelta(const std::vector<LossPart>& parts, double epsilon) {
  const absl::StatusOr<double> delta = ProductDelta(parts, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

// An upper bound that is at most 1 % above.
void ExpectJustAbove(double got, double truth, double rounding = 3e-6) {
  EXPECT_GE(got, truth * (1 - rounding));
  EXPECT_LE(got, truth * 1.01);
}

TEST(ProductTest, SeveralCellsAgreeWithTheReference) {
  const struct {
    absl::StatusOr<NoiseLaw> law;
    int64_t cells;
    double epsilon, delta;
  } kCases[] = {
      {PoissonNoise(10.0), 1, 0.5, 0.04109216229642771},
      {PoissonNoise(30.0), 2, 1.0, 0.0007404970309532466},
      {PoissonNoise(270.0), 2, 0.5, 7.793291529889501e-07},
      {PoissonNoise(650.9), 5, 0.5, 9.999916452664038e-07},
      {PoissonNoise(3896.3), 30, 0.5, 9.997659052268208e-07},
      {PoissonNoise(79083.0), 30, 0.1, 9.999488331218677e-07},
      {PoissonNoise(1561.6), 30, 1.0, 1.0000235992662358e-08},
      {PoissonNoise(7200.0), 200, 1.0, 9.167663467295585e-07},
      {BinomialNoise(2000, 0.1), 2, 0.6, 1.4500061817912524e-06},
      {BinomialNoise(100000, 0.0065), 5, 0.5, 1.07700151397116e-06},
      {BinomialNoise(1000, 0.5), 3, 0.4, 0.0002930892714264681},
      {NegativeBinomialNoise(20, 0.7), 2, 0.8, 7.55844654332094e-06},
      {NegativeBinomialNoise(60, 0.8), 6, 0.8, 9.012195694717065e-15},
      {PoissonNoise(0.5), 2, 1.0, 0.8531377463399383},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.delta);
    ExpectJustAbove(MustDelta(SeveralCells(*c.law, c.cells), c.epsilon), c.delta);
  }
}

// Every pair of sets and every choice of the others' coins, added up one by one: AUE on tiny
// domains, by the number of cells in which the two sets differ.
TEST(ProductTest, SeveralCellsAreTheEnumeratedTruth) {
  const struct {
    absl::StatusOr<NoiseLaw> law;
    int64_t exchanged;
    double epsilon, truth;
  } kCases[] = {
      {BinomialNoise(2, 0.3), 1, 0.2, 0.6584361383651363},
      {BinomialNoise(2, 0.3), 2, 0.2, 0.8730523603133967},
      {BinomialNoise(2, 0.3), 1, 1.0, 0.5924237713649559},
      {BinomialNoise(2, 0.3), 2, 1.0, 0.8379799897262009},
      {BinomialNoise(3, 0.25), 1, 0.2, 0.5994246535220775},
      {BinomialNoise(3, 0.25), 2, 0.2, 0.8211599970248329},
      {BinomialNoise(3, 0.25), 1, 1.0, 0.4908863029657382},
      {BinomialNoise(3, 0.25), 2, 1.0, 0.7573970886247142},
      {BinomialNoise(2, 0.3), 1, 0.2, 0.6584361383651364},
      {BinomialNoise(2, 0.3), 1, 1.0, 0.5924237713649559},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.truth);
    const double got = MustDelta(SeveralCells(*c.law, c.exchanged), c.epsilon);
    EXPECT_GE(got, c.truth * (1 - 1e-10));
    EXPECT_LE(got, c.truth * (1 + 1e-6));
  }
}

TEST(ProductTest, SeveralCorrelatedCellsAgreeWithTheReference) {
  const struct {
    CorrelatedNoise noise;
    int64_t cells;
    double epsilon, delta;
  } kCases[] = {
      {{0.7, 1.5, 0.5}, 2, 2.0, 0.3474790532171572},
      {{0.35, 6, 0.8}, 2, 1.0, 0.04129837258609827},
      {{0.0625, 8.0, 0.98}, 3, 0.5, 1.2777709157194848e-08},
      {{0.045, 7.0, 0.976}, 5, 0.5, 8.67047810801793e-07},
      {{0.015, 5.0, 0.987}, 30, 0.5, 8.153816331393652e-07},
      {{0.2, 20.0, 0.95}, 1, 0.5, 5.006674193003086e-08},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.delta);
    const auto lesser = LesserCount(c.noise);
    const auto parts = SeveralCorrelatedCells(*lesser, c.noise.noise_epsilon, c.cells);
    ExpectJustAbove(MustDelta(parts, c.epsilon), c.delta, 1e-5);
  }
}

// What searches look at is sound by itself, and not far from what is found in the end.
TEST(ProductTest, TheCoarseBoundIsJustAboveTheOther) {
  const auto correlated = LesserCount({0.045, 7.0, 0.976});
  const std::vector<LossPart> kCases[] = {
      SeveralCells(*PoissonNoise(650.9), 5), SeveralCells(*PoissonNoise(79083.0), 30),
      SeveralCells(*BinomialNoise(1000, 0.5), 3), SeveralCells(*PoissonNoise(0.5), 2),
      SeveralCorrelatedCells(*correlated, 0.045, 5)};
  for (const auto& parts : kCases) {
    for (const double epsilon : {0.1, 0.5, 1.0}) {
      Work work;
      const absl::StatusOr<double> coarse = CoarseProductDelta(parts, epsilon, &work);
      ASSERT_TRUE(coarse.ok()) << coarse.status();
      const double tight = MustDelta(parts, epsilon);
      EXPECT_GE(*coarse, tight);
      EXPECT_LE(*coarse, 1.05 * tight);
      EXPECT_EQ(work.looks(), 1);
      Work too_little(work.points() - 1);
      EXPECT_EQ(CoarseProductDelta(parts, epsilon, &too_little).status().code(),
                absl::StatusCode::kResourceExhausted);
      EXPECT_EQ(too_little.points(), 0);
      EXPECT_EQ(*CoarseProductDelta(parts, epsilon, nullptr), *coarse);
    }
  }
}

TEST(ProductTest, OneCellIsWhatTheExactAccountantsSay) {
  for (const double mean : {0.5, 3.0, 20.0, 136.1, 5000.0}) {
    const auto law = PoissonNoise(mean);
    for (const double epsilon : {0.05, 0.5, 2.0}) {
      SCOPED_TRACE(mean);
      const auto exact = TwoBucketDelta(*law, epsilon);
      // The exact sum has a margin of 1e-9 of its own.
      ExpectJustAbove(MustDelta(SeveralCells(*law, 1), epsilon), *exact, 1e-8);
    }
  }
}

// Units of one record in one cell cost more than in cells of their own.
TEST(ProductTest, UnitsInOneCellAgreeWithTheReference) {
  const struct {
    double mean;
    int64_t units, cap;
    double epsilon, delta;
  } kCases[] = {
      {136.1, 2, 2, 1.0, 2.5538114841450783e-06}, {136.1, 2, 1, 0.7, 1.5231013946413914e-06},
      {3252.5, 5, 5, 0.5, 9.999241734974034e-07}, {2598.7, 10, 2, 0.5, 9.998261428764946e-07},
      {700.0, 7, 3, 0.8, 2.690065202038356e-05},  {8.0, 4, 4, 2.0, 0.3554804714389302},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.delta);
    const auto law = PoissonNoise(c.mean);
    std::vector<LossPart> parts = {{Gained(*law, c.cap), c.units / c.cap},
                                   {Lost(*law, c.cap), c.units / c.cap}};
    if (const int64_t rest = c.units % c.cap; rest > 0) {
      parts.push_back({Gained(*law, rest), 1});
      parts.push_back({Lost(*law, rest), 1});
    }
    ExpectJustAbove(MustDelta(parts, c.epsilon), c.delta);
  }
}

TEST(ProductTest, CorrelatedUnitsInOneCellAgreeWithTheReference) {
  const struct {
    CorrelatedNoise noise;
    int64_t units;
    double epsilon, gained, lost;
  } kCases[] = {
      {{0.7, 1.5, 0.5}, 2, 1.0, 0.2202881139679497, 0.40772088685080893},
      {{0.4, 3.0, 0.7}, 3, 1.0, 0.10852366129008942, 0.20521601877439705},
  };
  for (const auto& c : kCases) {
    const auto lesser = LesserCount(c.noise);
    const double e1 = c.noise.noise_epsilon;
    ExpectJustAbove(MustDelta({{GainedCorrelated(*lesser, e1, c.units), 1}}, c.epsilon), c.gained,
                    1e-9);
    ExpectJustAbove(MustDelta({{LostCorrelated(*lesser, e1, c.units), 1}}, c.epsilon), c.lost,
                    1e-9);
  }
}

TEST(ProductTest, PartsOfDifferentLawsAgreeWithTheReference) {
  const struct {
    std::vector<std::pair<absl::StatusOr<NoiseLaw>, int64_t>> parts;
    double epsilon, delta, epsilon_at_1e_6;
  } kCases[] = {
      {{{PoissonNoise(300.0), 1}, {PoissonNoise(500.0), 1}, {PoissonNoise(900.0), 1}},
       0.5,
       1.7774193130414332e-07,
       0.4564117663539946},
      {{{PoissonNoise(650.9), 5}, {PoissonNoise(1300.0), 5}},
       0.6,
       1.8338155729214116e-06,
       0.6210927329957485},
      {{{PoissonNoise(120.0), 2},
        {BinomialNoise(5000, 0.04), 3},
        {NegativeBinomialNoise(30, 0.8), 1}},
       0.9,
       3.147684078801997e-05,
       1.1201141960918903},
      {{{PoissonNoise(100.0), 1},
        {PoissonNoise(200.0), 1},
        {PoissonNoise(400.0), 1},
        {PoissonNoise(800.0), 1},
        {PoissonNoise(1600.0), 1},
        {PoissonNoise(3200.0), 1},
        {PoissonNoise(6400.0), 1},
        {PoissonNoise(12800.0), 1},
        {PoissonNoise(25600.0), 1},
        {PoissonNoise(51200.0), 1}},
       0.7,
       1.84479910753926e-05,
       0.8436709241941571},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.delta);
    std::vector<LossPart> parts;
    for (const auto& [law, cells] : c.parts) {
      for (LossPart& part : SeveralCells(*law, cells)) parts.push_back(std::move(part));
    }
    ExpectJustAbove(MustDelta(parts, c.epsilon), c.delta);
    const auto epsilon = ProductEpsilon(parts, 1e-6);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_GE(*epsilon, c.epsilon_at_1e_6 * (1 - 1e-5));
    EXPECT_LE(*epsilon, c.epsilon_at_1e_6 * 1.002);
  }
}

TEST(ProductTest, OnAGivenGridOnlyTheTransformDiffersFromDirectConvolution) {
  const auto law = PoissonNoise(50.0);
  const struct {
    double epsilon, delta;
  } kCases[] = {
      {0.5, 0.015078029195283059},
      {1.0, 0.0003750905944517682},
      {2.0, 2.959192808909346e-09},
      {3.0, 4.464606330957274e-16},
  };
  for (const auto& c : kCases) {
    const auto got = ProductDeltaOnGrid(SeveralCells(*law, 3), 0.01, c.epsilon);
    EXPECT_GE(*got, c.delta * (1 - 1e-9));
    EXPECT_LE(*got, c.delta * (1 + 1e-6));
  }
}

TEST(ProductTest, SplitAtomsComposeAsTheReferenceSays) {
  LossLaw law{.infinite = 0.01};
  const double kLosses[] = {-0.73, -0.2, 0.0, 0.31, 0.5, 1.26};
  const double kMasses[] = {0.05, 0.2, 0.3, 0.25, 0.15, 0.04};
  for (size_t i = 0; i < std::size(kLosses); ++i) law.atoms.push_back({kLosses[i], kMasses[i]});
  const struct {
    double epsilon, delta;
  } kCases[] = {
      {0.0, 0.3357250458211125},
      {0.5, 0.16690372739755155},
      {1.0, 0.07906475976506955},
      {2.0, 0.03311321192836414},
  };
  for (const auto& c : kCases) {
    const auto got = ProductDeltaOnGrid(std::vector<LossPart>{{law, 3}}, 0.25, c.epsilon);
    EXPECT_GE(*got, c.delta * (1 - 1e-9));
    EXPECT_LE(*got, c.delta * (1 + 1e-6));
  }
}

// The delta of a list of atoms used so many times, by adding up all sums: the truth from below.
double ByAddingUp(const LossLaw& law, int64_t uses, double epsilon) {
  std::map<double, double> sums = {{0, 1}};
  double finite = 1;
  for (int64_t i = 0; i < uses; ++i) {
    std::map<double, double> next;
    for (const auto& [loss, mass] : sums) {
      for (const LossAtom& atom : law.atoms) next[loss + atom.loss] += mass * atom.mass;
    }
    sums = std::move(next);
    finite *= 1 - law.infinite;
  }
  double delta = 1 - finite;
  for (const auto& [loss, mass] : sums) delta += mass * std::max(0.0, -std::expm1(epsilon - loss));
  return delta;
}

// A law that has masses of 1 under both distributions, but for what is infinite.
LossLaw RandomLaw(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const int atoms = 2 + static_cast<int>(random() % 3);
  LossLaw law;
  double p = 0;
  for (int i = 0; i < atoms; ++i) {
    const double loss = 3 * uniform(random) - 1.5;
    const double mass = uniform(random);
    law.atoms.push_back({loss, mass});
    p += mass;
  }
  law.infinite = random() % 2 == 0 ? 0 : 1e-3 * uniform(random);
  for (LossAtom& atom : law.atoms) atom.mass *= (1 - law.infinite) / p;
  law.spread = 0.1;
  return law;
}

TEST(ProductTest, IsNeverBelowTheTruthOfAnyAtoms) {
  std::mt19937_64 random(15);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 400; ++i) {
    const LossLaw law = RandomLaw(random);
    const int64_t uses = 1 + static_cast<int64_t>(random() % 5);
    const double epsilon = 3 * uniform(random);
    const double truth = ByAddingUp(law, uses, epsilon);
    const std::vector<LossPart> parts = {{law, uses}};
    EXPECT_GE(MustDelta(parts, epsilon), std::min(1.0, truth) * (1 - 1e-12)) << i;
    for (const double step : {0.5, 0.03, 0.007}) {
      EXPECT_GE(*ProductDeltaOnGrid(parts, step, epsilon), std::min(1.0, truth) * (1 - 1e-12)) << i;
    }
  }
}

TEST(ProductTest, AtEpsilonBeyondEveryLossOnlyWhatIsInfiniteIsLeft) {
  const LossLaw law{
      .atoms = {{0.25, 0.6}, {-0.25, 0.39}}, .infinite = 0.01, .unit = 0.25, .spread = 0.06};
  EXPECT_NEAR(MustDelta({{law, 2}}, 0.6), 1 - 0.99 * 0.99, 1e-9);
  EXPECT_NEAR(MustDelta({{law, 2}}, 0.5), 1 - 0.99 * 0.99, 1e-9);
  EXPECT_GT(MustDelta({{law, 2}}, 0.4), 0.05);
}

// Losses that are all far below 0 and far apart, as of noise that is hardly there.
TEST(ProductTest, HardlyAnyNoiseSaysNothingAndTakesNoTime) {
  for (const double mean : {1e-8, 1e-12, 1e-15}) {
    EXPECT_EQ(MustDelta(SeveralCells(*PoissonNoise(mean), 2), 1), 1) << mean;
    EXPECT_EQ(ProductEpsilon(SeveralCells(*PoissonNoise(mean), 2), 1e-6).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_EQ(MustDelta(SeveralCells(*BinomialNoise(10, 1e-13), 4), 1), 1);
  // The same losses without what is infinite: the grid is cut, and what is above it counts.
  LossLaw far{.atoms = {{-20, 0.5}, {-35, 0.5}}, .spread = 1e-14};
  EXPECT_GE(*ProductDeltaOnGrid({{far, 2}}, 1e-6, 1), 0);
}

// A step as fine as a residue of rounding must not move the loss below epsilon.
TEST(ProductTest, AVarianceThatIsRoundingAloneHidesNoLoss) {
  const double loss = 202.25169024052579;
  const LossLaw law{.atoms = {{loss, 1}}, .unit = loss / 2, .spread = 1e-27};
  EXPECT_GE(MustDelta({{law, 1}}, loss - 1e-9), 0.9e-9);
  EXPECT_LE(MustDelta({{law, 1}}, 1e300), 1e-9);
}

TEST(ProductTest, ALawWithoutAFiniteLossSaysNothing) {
  EXPECT_EQ(MustDelta({{LossLaw{.infinite = 1}, 3}}, 1), 1);
}

TEST(ProductTest, MoreUsesCostMoreAndTheEpsilonFoundHolds) {
  const auto law = PoissonNoise(136.1);
  double before = 0;
  for (const int64_t uses : {1, 2, 10, 100}) {
    const auto parts = SeveralCells(*law, uses);
    const auto epsilon = ProductEpsilon(parts, 1e-6);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_GT(*epsilon, before);
    EXPECT_LE(MustDelta(parts, *epsilon), 1e-6 * 1.002);
    before = *epsilon;
  }
  EXPECT_NEAR(before, 6.108, 0.002);  // a hundred of (0.5, 1e-6)
}

TEST(ProductTest, WhatIsChargedBesidesIsPartOfTheTarget) {
  const auto parts = SeveralCells(*PoissonNoise(136.1), 4);
  const auto plain = ProductEpsilon(parts, 1e-6);
  const auto charged = ProductEpsilon(parts, 1e-6, [](double) { return 5e-7; });
  ASSERT_TRUE(plain.ok() && charged.ok());
  EXPECT_LE(MustDelta(parts, *charged), 5e-7 * 1.002);
  EXPECT_GT(*charged, *plain);
  EXPECT_EQ(ProductEpsilon(parts, 1e-6, [](double) { return 1e-5; }).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(ProductTest, RefusesWhatIsOutOfRange) {
  const auto parts = SeveralCells(*PoissonNoise(10), 1);
  EXPECT_THAT(ProductDelta(parts, -1).status().message(), HasSubstr("epsilon must be"));
  EXPECT_THAT(ProductDelta(parts, NAN).status().message(), HasSubstr("epsilon must be"));
  EXPECT_THAT(ProductDelta({}, 1).status().message(), HasSubstr("uses of all parts"));
  EXPECT_THAT(ProductDelta({{LossLaw{}, 0}}, 1).status().message(), HasSubstr("uses must be"));
  EXPECT_THAT(ProductDeltaOnGrid(parts, 0, 1).status().message(), HasSubstr("step must be"));
}

}  // namespace
}  // namespace tombola::accounting
