// The LPRR-JOIN paper's formulas as printed, kept only here, beside the truth. The numbers of
// docs/errata.md come from these.
#include <cmath>

#include "gtest/gtest.h"
#include "lab/joins/decompose.h"
#include "lab/joins/join_trial.h"
#include "lab/joins/one_tuple.h"
#include "lab/joins/printed.h"
#include "lab/joins/star_sets.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

// --- The root ---

// HIO at the root, counts only: one item, so one report for every device. There is nothing to leak.
TEST(LprrIntroduction, TheRootOfHioIsTheSameForEveryDevice) {
  const OneTuple hio({.places = {4, 4, 4}, .asked = 2, .users = 10, .branching = 2, .epsilon = 1},
                     Views::kHierarchy, PublishedOracle(1));
  EXPECT_EQ(hio.CellsOf(0), 1);
  for (int32_t a = 0; a < 4; ++a) {
    for (int32_t b = 0; b < 4; ++b) EXPECT_EQ(hio.CellIn(0, {a, b, 0}), 0);
  }
}

// --- Equation (7): the variance of randomised response ---

TEST(LprrEquation7, HasOneCellTooMany) {
  for (const double epsilon : {0.5, 1.0, 3.0}) {
    for (const double cells : {4.0, 9.0}) {
      const double gap = std::pow(std::expm1(epsilon), 2);
      const double truth = (std::exp(epsilon) + cells - 2) / gap;
      const double printed = (std::exp(epsilon) + cells - 1) / gap;
      EXPECT_NEAR(Grr(cells, epsilon).Variance(0, 1), truth, 1e-9);
      EXPECT_GT(printed, truth);
    }
  }
}

// --- Theorem 2: the estimator ---

// Of rows that picked the level of a node a report names it with p if the row is below, and never
// else: nobody else has it among its own nodes. The estimate subtracts q of all rows.
TEST(LprrTheorem2, IsBiasedByMoreThanAllRows) {
  const double rows = 1e6, below = 0.04, cells = 3;
  const Oracle grr = Grr(cells, 1);
  const double named = rows * below * grr.holder;
  const double printed = (named - rows * grr.other) / (grr.holder - grr.other);
  EXPECT_NEAR(printed / rows, -0.518698, 1e-6);
  // A range of seven nodes.
  EXPECT_LT(7 * printed, -3 * rows);
}

// --- Theorem 4: the bias of truncation ---

// The share of a node is taken to be that of its places: true of uniform data only.
TEST(LprrTheorem4, TakesDataForUniform) {
  const StarData data = DrawSyn(20000, 1);
  const JoinQuery middle = {.asked = 1, .box = {Interval{50, 75}}};
  const double share = TruthOf(data, middle).count / static_cast<double>(data.tuples());
  EXPECT_GT(share, 1.4 * 25 / 125);
}

// --- Equation (18): no bias ---

TEST(LprrEquation18, TruncationLosesTuples) {
  const StarData data = DrawSyn(20000, 1);
  const JoinFacts facts(data, 1);
  // E min(T, 3) / E T for T uniform over 1 to 10: 27/55.
  EXPECT_NEAR(facts.KeptShare(3), 27.0 / 55, 0.01);
  EXPECT_NEAR(facts.KeptShare(1), 10.0 / 55, 0.005);
}

// --- Equation (11): states of a joined tuple ---

// Q_1 is the probability that a tuple of another cell is reported in any wrong cell by every table;
// it stands where that of one given wrong cell is needed.
TEST(LprrEquation11, TakesAnyWrongCellForAGivenOne) {
  const double cells = 9, tables = 3;
  const Oracle grr = Grr(cells, 1);
  const double printed = std::pow(1 - grr.holder, tables);
  const double truth = std::pow(grr.other, tables);
  EXPECT_NEAR(printed / truth, std::pow(cells - 1, tables), 1e-6);
}

// The unbiased estimate of a joined tuple is the product of the tables' ones: the inverse of a
// tensor product of 2 x 2 matrices, which needs no counts of the other states (Theorem 6).
TEST(LprrTheorem6, AProductNeedsNoUnknownCounts) {
  const Oracle grr = Grr(4, 1);
  for (const bool first : {false, true}) {
    for (const bool second : {false, true}) {
      const double p[] = {first ? grr.holder : grr.other, second ? grr.holder : grr.other};
      double expected = 0;
      for (const int a : {0, 1}) {
        for (const int b : {0, 1}) {
          const double chance = (a == 1 ? p[0] : 1 - p[0]) * (b == 1 ? p[1] : 1 - p[1]);
          expected +=
              chance * (a - grr.other) * (b - grr.other) / std::pow(grr.holder - grr.other, 2);
        }
      }
      EXPECT_NEAR(expected, first && second ? 1 : 0, 1e-12);
    }
  }
}

// --- Equation (12) and Theorem 8: the error of COUNT ---

double PrintedCountVariance(const PrintedJoin& join) {
  const double cells = std::pow(join.height, join.attributes), odds = std::exp(join.row_epsilon());
  const double wrong = std::pow(cells - 1, join.tables);
  return join.joined() / join.attributes * wrong *
         (std::pow(odds + cells - 1, join.tables) - wrong) / std::pow(odds, 2 * join.tables);
}

TEST(LprrEquation12, StaysFiniteWithoutABudget) {
  PrintedJoin join = {.users = 1e6, .epsilon = 1e-12};
  const double nothing = PrintedCountVariance(join);
  join.epsilon = 1;
  EXPECT_TRUE(std::isfinite(nothing));
  EXPECT_NEAR(nothing / PrintedCountVariance(join), 1, 1e-3);
  // An unbiased estimate from reports that say nothing has none.
  EXPECT_GT(Grr(9, 1e-9).Variance(0, 1), 1e17);
}

// Even so it is more than a thousand million times the square of n^2, one range a table, b = 5.
TEST(LprrTheorem8, IsFarBeyondAllTuples) {
  for (const auto& [tau, mse] :
       {std::pair{1.0, 5.5983480214250894e+23}, {3.0, 1.6795064554999972e+24}}) {
    const PrintedJoin join = {.users = 1e6, .tau = tau};
    const double cells = std::pow(join.height, join.attributes), nodes = 2 * 4 * join.height;
    const double found = PrintedCountVariance(join) * join.attributes *
                         std::pow(cells, join.tables) * std::pow(nodes, join.tables) / 2;
    EXPECT_NEAR(found / mse, 1, 1e-6);
  }
}

TEST(PrintedJoinTest, HasTheReferenceBudgets) {
  const PrintedJoin one = {.users = 1e6}, three = {.users = 1e6, .tau = 3};
  EXPECT_NEAR(one.row_epsilon() / 4.99999750000125e-07, 1, 1e-12);
  EXPECT_NEAR(three.row_epsilon() / 2.4999993750001564e-07, 1, 1e-12);
  EXPECT_NEAR(one.least_nmse() * one.joined() / 4.0960122851271414e+39, 1, 1e-4);
}

// --- Theorem 11: tau ---

TEST(LprrTheorem11, ItsTauIsFarBelowOneTuple) {
  EXPECT_NEAR(PrintedTau({.users = 1e6}, 0.05) / 1.2132715707893665e-10, 1, 1e-9);
  EXPECT_NEAR(PrintedTau({.users = 1e6, .tables = 2}, 0.05) / 1.2132715707893664e-4, 1, 1e-9);
}

// Equation (29) is a sum of two terms above 0: no tau makes it 0.
TEST(LprrTheorem11, ItsFunctionHasNoStationaryPoint) {
  const double users = 1e6, attributes = 2, height = 3, tables = 3, gamma = 0.05;
  const double joins = std::pow(users, tables - 1);
  for (const double tau : {1e-12, PrintedTau({.users = users}, gamma), 1.0, 3.0, 100.0}) {
    const double slope = joins / (attributes * std::pow(height, attributes)) +
                         std::sqrt(joins * std::log(1 / gamma)) / (2 * std::sqrt(tau) * attributes);
    EXPECT_GT(slope, 0);
  }
}

// --- Equation (24): what is summed ---

// An estimate of one row's state is (0 - q) / (p - q) or (1 - q) / (p - q), so that its distance
// from the state is not among -1, 0 and 1.
TEST(LprrEquation24, ErrorsOfARowAreNotWholeNumbers) {
  const Oracle grr = Grr(9, 1);
  EXPECT_LT((0 - grr.other) / (grr.holder - grr.other) - 1, -1.5);
  EXPECT_GT((1 - grr.other) / (grr.holder - grr.other), 5);
}

// --- Theorem 9: the error of SUM ---

// The mean of two extreme cases, called the worst: the worst is the larger.
TEST(LprrTheorem9, AveragesWhereTheWorstIsMeant) {
  const double printed = (kLeastAmount * kLeastAmount + kMostAmount * kMostAmount) / 2;
  EXPECT_LT(printed, kMostAmount * kMostAmount);
}

// --- Experiments: which tau ---

// "3 from the optimisation": what squared bias and variance of a local join add up to for 1 to 10
// tuples a device has its least at the most tuples, or near, where devices are many.
TEST(LprrExperiments, TauOfThreeIsNotTheBest) {
  const StarData data = DrawSyn(20000, 1);
  JoinFacts facts(data, 1);
  const JoinQuery query = {.asked = 1, .box = {Interval{50, 69}}};
  const auto error = [&](int64_t tau) {
    const JoinSetting setting = {
        .places = {125, 125, 125}, .users = data.users(), .tau = tau, .epsilon = 2};
    const OneTuple hio(setting, Views::kHierarchy, PublishedOracle(2));
    const AnswerLaw law = hio.LawOf(facts, query);
    return law.count_variance + std::pow(law.count - TruthOf(data, query).count, 2);
  };
  EXPECT_LT(error(7), error(3));
  EXPECT_LT(error(3), error(1));
}

}  // namespace
}  // namespace tombola::lab
