#include "common/accounting/submission_loss.h"

#include <cmath>

#include "common/accounting/blanket.h"
#include "common/accounting/composition.h"
#include "common/accounting/product.h"
#include "common/accounting/two_bucket.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

SubmissionLoss LossOf(const Blanket& blanket) {
  const auto loss =
      LossFromCurve([&](double epsilon) { return Delta(blanket, epsilon); }, /*negligible=*/1e-18);
  EXPECT_TRUE(loss.ok()) << loss.status();
  return *loss;
}

TEST(SubmissionLossTest, BlanketsInBatchesOfTheirOwnComposeAsTheReferenceSays) {
  const struct {
    Blanket blanket;
    int64_t uses;
    double delta, epsilon;
  } kCases[] = {
      {{.honest = 600000, .range = 600.0, .gamma = 0.1077325768439136},
       2,
       1e-06,
       0.7179933725856245},
      {{.honest = 600000, .range = 600.0, .gamma = 0.1077325768439136},
       10,
       1e-06,
       1.6984648536890745},
      {{.honest = 600000, .range = 600.0, .gamma = 0.1077325768439136},
       30,
       1e-06,
       3.10274313762784},
      {{.honest = 100000, .range = 100.0, .gamma = 0.21225476169387655},
       3,
       1e-06,
       0.5376617307774723},
      {{.honest = 100000, .range = 100.0, .gamma = 0.21225476169387655},
       12,
       1e-06,
       1.1307039922103286},
  };
  for (const auto& c : kCases) {
    const auto epsilon = EpsilonOver(LossOf(c.blanket), c.uses, c.delta);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_GE(*epsilon, c.epsilon * 0.997);
    EXPECT_LE(*epsilon, c.epsilon * 1.005);
  }
}

// Small enough for the pair itself, every number of messages for itself, to be composed.
TEST(SubmissionLossTest, TheCurveOfABlanketIsNeverBelowItsPair) {
  const struct {
    Blanket blanket;
    int64_t uses;
    double epsilon, delta;
  } kCases[] = {
      {{.honest = 50, .range = 5.0, .gamma = 0.2, .fakes = 0}, 1, 0.5, 0.1709167403708076},
      {{.honest = 50, .range = 5.0, .gamma = 0.2, .fakes = 0}, 1, 1.5, 0.04497455324000012},
      {{.honest = 50, .range = 5.0, .gamma = 0.2, .fakes = 0}, 4, 0.5, 0.5021485048079146},
      {{.honest = 50, .range = 5.0, .gamma = 0.2, .fakes = 0}, 4, 1.5, 0.30581518308625205},
      {{.honest = 200, .range = 10.0, .gamma = 0.14285714285714285, .fakes = 0},
       1,
       0.5,
       0.13725282327259483},
      {{.honest = 200, .range = 10.0, .gamma = 0.14285714285714285, .fakes = 0},
       1,
       1.5,
       0.027397497279987325},
      {{.honest = 200, .range = 10.0, .gamma = 0.14285714285714285, .fakes = 0},
       4,
       0.5,
       0.4359952982238816},
      {{.honest = 200, .range = 10.0, .gamma = 0.14285714285714285, .fakes = 0},
       4,
       1.5,
       0.2338038377206348},
      {{.honest = 30, .range = 2.5, .gamma = 0.3333333333333333, .fakes = 40},
       1,
       0.5,
       0.0008547875110667708},
      {{.honest = 30, .range = 2.5, .gamma = 0.3333333333333333, .fakes = 40},
       1,
       1.5,
       5.713248356253279e-13},
      {{.honest = 30, .range = 2.5, .gamma = 0.3333333333333333, .fakes = 40},
       4,
       0.5,
       0.03078410271962269},
      {{.honest = 30, .range = 2.5, .gamma = 0.3333333333333333, .fakes = 40},
       4,
       1.5,
       4.409329055746201e-05},
  };
  for (const auto& c : kCases) {
    const auto delta = DeltaOver(LossOf(c.blanket), c.uses, c.epsilon);
    ASSERT_TRUE(delta.ok()) << delta.status();
    EXPECT_GE(*delta, c.delta * (1 - 1e-6));
    EXPECT_LE(*delta, c.delta * 1.01);
  }
}

TEST(SubmissionLossTest, TenOfAHalfAreOnePointSeven) {
  const SubmissionLoss loss{.parts = SeveralCells(*PoissonNoise(136.1), 1)};
  EXPECT_NEAR(*EpsilonOver(loss, 1, 1e-6), 0.5, 1e-3);
  EXPECT_NEAR(*EpsilonOver(loss, 10, 1e-6), 1.694, 1e-3);
  // What the pair alone says of ten.
  EXPECT_GT(*ComposedEpsilon({0.5, 1e-6}, 10, 1e-5), 4.9);
}

// Why no two submissions of a device may meet in a batch: two units in one cell are not two cells.
// Both numbers are from an independent computation.
TEST(SubmissionLossTest, TwoThatMeetInABatchWouldBreakTheNumber) {
  const auto law = PoissonNoise(136.1);
  const double apart = *EpsilonOver({.parts = SeveralCells(*law, 1)}, 2, 1e-6);
  EXPECT_NEAR(apart, 0.717, 1e-3);
  const LossPart met[] = {{Gained(*law, 2), 1}, {Lost(*law, 2), 1}};
  EXPECT_NEAR(*ProductDelta(met, apart), 1.76e-4, 0.02e-4);
  EXPECT_NEAR(*ProductEpsilon(met, 1e-6), 1.055, 1e-3);
}

TEST(SubmissionLossTest, ACurveAloneLosesLittleAgainstTheLawItself) {
  const auto law = PoissonNoise(300);
  const SubmissionLoss exact{.parts = SeveralCells(*law, 1)};
  const auto curve =
      LossFromCurve([&](double epsilon) { return TwoBucketDelta(*law, epsilon); }, 1e-12);
  ASSERT_TRUE(curve.ok()) << curve.status();
  for (const int64_t uses : {2, 10, 50}) {
    const double truth = *EpsilonOver(exact, uses, 1e-6);
    const double found = *EpsilonOver(*curve, uses, 1e-6);
    EXPECT_GE(found, truth * (1 - 1e-3));
    EXPECT_LE(found, truth * 1.005);
  }
}

TEST(SubmissionLossTest, ChargesAreForEverySubmissionAtTheEpsilonOfAll) {
  SubmissionLoss loss{.parts = SeveralCells(*PoissonNoise(136.1), 1)};
  const double without = *DeltaOver(loss, 10, 2);
  loss.charge = 1e-9;
  loss.difference = 1e-10;
  EXPECT_NEAR(*DeltaOver(loss, 10, 2), without + 10 * (1e-9 + (1 + std::exp(2)) * 1e-10), 1e-15);
  const auto epsilon = EpsilonOver(loss, 10, 1e-6);
  ASSERT_TRUE(epsilon.ok()) << epsilon.status();
  EXPECT_LE(*DeltaOver(loss, 10, *epsilon), 1e-6 * 1.002);
  loss.difference = 1e-7;
  EXPECT_EQ(EpsilonOver(loss, 10, 1e-6).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(SubmissionLossTest, WhatIsHardlyEverToldIsChargedWhole) {
  const auto loss = LossFromCurve([](double) { return 1e-13; }, 1e-12);
  ASSERT_TRUE(loss.ok());
  EXPECT_LE(*DeltaOver(*loss, 5, 1), 1e-8);
  EXPECT_GE(*DeltaOver(*loss, 5, 1), 5e-13);
}

TEST(SubmissionLossTest, ACurveThatNeverFallsHasNoLoss) {
  EXPECT_EQ(LossFromCurve([](double) { return 0.5; }, 1e-12).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

// A device may be given a task whose curve is as odd as its parameters allow.
TEST(SubmissionLossTest, ACurveIsLookedAtABoundedNumberOfTimes) {
  const auto evaluations = [](auto delta_at) {
    int count = 0;
    const auto loss = LossFromCurve(
        [&](double epsilon) -> absl::StatusOr<double> {
          ++count;
          return delta_at(epsilon);
        },
        1e-300);
    return count;
  };
  EXPECT_LE(evaluations([](double e) { return e < 600 ? 0.99 : 1e-310; }), kMostLossEvaluations);
  EXPECT_LE(evaluations([](double e) { return e < 2e-9 ? 1 : 0.0; }), kMostLossEvaluations);
  EXPECT_LE(evaluations([](double e) { return e < 650 ? 1 - e / 1e9 : 1e-9; }),
            kMostLossEvaluations);
  const int usual = evaluations([](double e) { return std::exp(-20 * e * e); });
  EXPECT_LE(usual, kMostLossEvaluations);
  EXPECT_GT(usual, 100);
}

// A curve of a tiny epsilon asks for grids as fine: the search is counted, and ends.
TEST(EpsilonOverTest, EndsWhereItsWorkDoes) {
  const SubmissionLoss one{.parts = {{FromCurve({{.epsilon = 0.5, .delta = 1e-6}}), 1}}};
  Work enough;
  ASSERT_TRUE(EpsilonOver(one, 100, 1e-3, &enough).ok());
  EXPECT_GT(enough.looks(), 5);
  Work half(enough.points() / 2);
  EXPECT_TRUE(absl::IsResourceExhausted(EpsilonOver(one, 100, 1e-3, &half).status()));
}

}  // namespace
}  // namespace tombola::accounting
