#include "common/accounting/loss_law.h"

#include <cmath>
#include <vector>

#include "common/accounting/loss_grid.h"
#include "common/accounting/product.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

double Mass(const LossLaw& law) {
  double sum = law.infinite;
  for (const LossAtom& atom : law.atoms) sum += atom.mass;
  return sum;
}

double MassUnderQ(const LossLaw& law) {
  double sum = 0;
  for (const LossAtom& atom : law.atoms) sum += atom.mass * std::exp(-atom.loss);
  return sum;
}

TEST(LossLawTest, TheMassesOfBothDistributionsAreOneButForWhatOnlyOneHas) {
  const auto law = PoissonNoise(7);
  for (const int64_t units : {1, 2, 5}) {
    EXPECT_NEAR(Mass(Gained(*law, units)), 1, 1e-12);
    EXPECT_NEAR(Mass(Lost(*law, units)), 1, 1e-12);
    EXPECT_NEAR(Mass(GainedCorrelated(*law, 0.3, units)), 1, 1e-12);
    EXPECT_NEAR(Mass(LostCorrelated(*law, 0.3, units)), 1, 1e-12);
    EXPECT_LE(MassUnderQ(Gained(*law, units)), 1 + 1e-12);
    EXPECT_LE(MassUnderQ(LostCorrelated(*law, 0.3, units)), 1 + 1e-12);
  }
  // A cell that may be empty cannot have lost a unit: Pr[X = 0] is infinite.
  EXPECT_NEAR(Lost(*law).infinite, std::exp(-7), 1e-15);
}

TEST(LossLawTest, MoreUnitsThanTheWindowHasAreInfinite) {
  const auto law = PoissonNoise(0.01);
  EXPECT_NEAR(Gained(*law, 1000).infinite, 1, 1e-12);
  EXPECT_TRUE(Lost(*law, 1000).atoms.empty());
}

TEST(LossLawTest, AtomsAreSplitOverTheTwoPointsBesideThem) {
  LossLaw law{.infinite = 0.01};
  const double kLosses[] = {-0.73, -0.2, 0.0, 0.31, 0.5, 1.26};
  const double kMasses[] = {0.05, 0.2, 0.3, 0.25, 0.15, 0.04};
  const double kOnGrid[] = {0.04552409656593931,
                            0.004475903434060696,
                            0.15590348268273527,
                            0.34409651731726476,
                            0.1841821060395637,
                            0.21581789396043632,
                            0.0,
                            0.0,
                            0.038200686894105246,
                            0.001799313105894755};
  for (size_t i = 0; i < std::size(kLosses); ++i) law.atoms.push_back({kLosses[i], kMasses[i]});
  const GridLaw grid = OnGrid({law, 1}, 0.25);
  ASSERT_EQ(grid.first, -3);
  ASSERT_GE(grid.mass.size(), std::size(kOnGrid));
  for (size_t i = 0; i < std::size(kOnGrid); ++i) EXPECT_NEAR(grid.mass[i], kOnGrid[i], 1e-12) << i;
  EXPECT_EQ(grid.infinite, law.infinite);
}

TEST(LossLawTest, ACurvesLawIsTheReference) {
  const std::vector<CurvePoint> points = {{0.0, 0.3}, {0.5, 0.12}, {1.0, 0.03}, {1.5, 0.004}};
  const LossLaw law = FromCurve(points);
  const double kMasses[] = {0.014744183522970652, 0.06940252453120416, 0.19332222680244895,
                            0.14506213028675258,  0.3187344674283118,  0.18865562128235513,
                            0.06607884614595673};
  ASSERT_EQ(law.atoms.size(), std::size(kMasses));
  for (size_t i = 0; i < law.atoms.size(); ++i) {
    EXPECT_NEAR(law.atoms[i].mass, kMasses[i], 1e-10) << i;
    EXPECT_NEAR(law.atoms[i].loss, 0.5 * (-3 + static_cast<double>(i)), 1e-12) << i;
  }
  EXPECT_EQ(law.infinite, 0.004);
  EXPECT_EQ(law.unit, 0.5);
  const struct {
    int64_t uses;
    double epsilon, delta;
  } kComposed[] = {
      {2, 0.5, 0.253624371181183},
      {2, 2.0, 0.0205541923062722},
      {5, 0.5, 0.48418378759691205},
      {5, 2.0, 0.19353629445407228},
  };
  for (const auto& c : kComposed) {
    const auto got = ProductDelta(std::vector<LossPart>{{law, c.uses}}, c.epsilon);
    EXPECT_GE(*got, c.delta * (1 - 1e-9));
    EXPECT_LE(*got, c.delta * (1 + 1e-6));
  }
}

// Optimal composition's pair.
TEST(LossLawTest, OnePointIsRandomisedResponseThatMayTellEverything) {
  const LossLaw law = FromCurve(std::vector<CurvePoint>{{0.8, 0.02}});
  ASSERT_EQ(law.atoms.size(), 2u);
  EXPECT_NEAR(law.atoms[0].loss, -0.8, 1e-12);
  EXPECT_NEAR(law.atoms[0].mass, 0.30382500849493976, 1e-10);
  EXPECT_NEAR(law.atoms[1].mass, 0.6761749915050602, 1e-10);
  EXPECT_EQ(law.infinite, 0.02);
}

// The curve of one order of the neighbours, mirrored, is below the truth when it is composed; the
// larger of both orders is not.
TEST(LossLawTest, ACurveOfOneOrderIsNotEnough) {
  const auto noise = PoissonNoise(2);
  const LossLaw gained = Gained(*noise);
  const LossLaw lost = Lost(*noise);
  std::vector<CurvePoint> one;
  std::vector<CurvePoint> both;
  for (int i = 0; i <= 400; ++i) {
    const double epsilon = 0.02 * i;
    const double there = *ProductDelta({{gained, 1}}, epsilon);
    one.push_back({epsilon, there});
    both.push_back({epsilon, std::max(there, *ProductDelta({{lost, 1}}, epsilon))});
  }
  const struct {
    int64_t uses;
    double epsilon, truth, unsound;
  } kCases[] = {
      {2, 0.5, 0.22841965671794984, 0.1998892821638669},
      {2, 1.0, 0.08804267275276928, 0.08522082179994962},
      {5, 0.5, 0.5163304722662093, 0.3949383444250103},
      {5, 1.0, 0.3775295337046131, 0.2785725359278969},
  };
  for (const auto& c : kCases) {
    EXPECT_NEAR(*ProductDelta({{FromCurve(one), c.uses}}, c.epsilon), c.unsound, 2e-3);
    EXPECT_LT(c.unsound, c.truth);
    EXPECT_GE(*ProductDelta({{FromCurve(both), c.uses}}, c.epsilon), c.truth * (1 - 1e-6));
  }
}

}  // namespace
}  // namespace tombola::accounting
