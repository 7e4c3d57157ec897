#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"
#include "common/ranges/range_variance.h"
#include "common/ranges/sum_variance.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

std::vector<int64_t> Widths(const RangeTree& tree) {
  std::vector<int64_t> widths;
  for (int64_t level = 0; level < tree.levels(); ++level) widths.push_back(tree.WidthOf(level));
  return widths;
}

TEST(RangeTreeTest, HasLevelsWhileANodeIsNarrowerThanTheRow) {
  EXPECT_THAT(Widths(RangeTree(10, 3, false)), ElementsAre(1, 3, 9));
  EXPECT_THAT(Widths(RangeTree(9, 3, false)), ElementsAre(1, 3));
  EXPECT_THAT(Widths(RangeTree(1024, 4, false)), ElementsAre(1, 4, 16, 64, 256));
  EXPECT_THAT(Widths(RangeTree(1024, 0, false)), ElementsAre(1));
  EXPECT_THAT(Widths(RangeTree(2, 2, true)), ElementsAre(1));
  EXPECT_EQ(RangeTree(1024, 4, false).cells(), 1364);
  EXPECT_EQ(RangeTree(1024, 4, true).cells(), 1369);
  // No overflow on the way up.
  EXPECT_THAT(Widths(RangeTree(1 << 24, 1 << 23, false)), ElementsAre(1, 1 << 23));
}

TEST(RangeTreeTest, ALeafIsUnderOneNodeOfEveryLevel) {
  const RangeTree tree(10, 3, true);
  EXPECT_EQ(tree.CellOf(0, 0), 0u);
  EXPECT_EQ(tree.CellOf(9, 0), 9u);
  EXPECT_EQ(tree.CellOf(10, 0), 10u);  // apart
  EXPECT_EQ(tree.CellOf(8, 1), 11u + 2);
  EXPECT_EQ(tree.CellOf(9, 1), 11u + 3);
  EXPECT_EQ(tree.CellOf(10, 1), 11u + 4);
  EXPECT_EQ(tree.CellOf(9, 2), 16u + 1);
  EXPECT_EQ(tree.CellOf(10, 2), 16u + 2);
  EXPECT_EQ(tree.cells(), 19);
}

TEST(LeastSquaresTest, AgreesWithTheReference) {
  const std::vector<double> estimates = {35.02,  25.12, 29.68, 34.02, 21.76,
                                         31.98,  33.71, 9.21,  0.14,  11.94,  // leaves
                                         90.39,  86.31, 43.08, 8.2,           // of three
                                         219.42, 8.32};                       // of nine
  EXPECT_THAT(LeastSquares(RangeTree(10, 3, false), estimates, {1.0, 1.5, 2.0}, 234),
              Pointwise(DoubleNear(1e-9),
                        {35.4540329218107, 25.5540329218107, 30.114032921810697, 34.00514403292181,
                         21.74514403292181, 31.96514403292181, 34.02181069958848, 9.521810699588478,
                         0.4518106995884773, 11.167037037037035}));
}

struct Reference {
  int64_t leaves, branching;
  double all_ranges, cdf, greatest_cdf;
  int64_t width;
  double of_width;
};

class RangeVarianceTest : public testing::TestWithParam<Reference> {};

TEST_P(RangeVarianceTest, AgreesWithTheReference) {
  const Reference& expected = GetParam();
  const RangeTree tree(expected.leaves, expected.branching, false);
  const RangeVariance variance(tree, std::vector<double>(static_cast<size_t>(tree.levels()), 1));
  double all = 0, cdf = 0, greatest = 0, wide = 0;
  for (int64_t begin = 0; begin < tree.leaves(); ++begin) {
    for (int64_t end = begin + 1; end <= tree.leaves(); ++end) all += variance.OfRange(begin, end);
    if (begin + expected.width <= tree.leaves()) {
      wide += variance.OfRange(begin, begin + expected.width);
    }
    if (begin == 0) continue;
    const double below = variance.OfRange(0, begin);
    cdf += below;
    greatest = std::max(greatest, below);
  }
  const double n = static_cast<double>(tree.leaves());
  EXPECT_NEAR(all / (n * (n + 1) / 2), expected.all_ranges, 1e-8 * expected.all_ranges);
  EXPECT_NEAR(variance.OverAllRanges(), expected.all_ranges, 1e-8 * expected.all_ranges);
  EXPECT_NEAR(cdf / (n - 1), expected.cdf, 1e-8 * expected.cdf);
  EXPECT_NEAR(greatest, expected.greatest_cdf, 1e-8 * greatest);
  EXPECT_NEAR(wide / (n - static_cast<double>(expected.width) + 1), expected.of_width, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Reference, RangeVarianceTest,
                         testing::Values(Reference{125, 5, 2.991550776583033, 1.9131113423517143,
                                                   2.8467096774193528, 15, 2.77057057057057},
                                         Reference{125, 12, 5.0931026340962635, 3.5522277188601405,
                                                   5.285056344928956, 62, 6.055646741793237},
                                         Reference{125, 0, 20.997333333333298, 20.999999999999968,
                                                   31.24799999999993, 5, 4.799999999999997},
                                         Reference{64, 4, 2.1947458791208785, 1.4349962207105054,
                                                   2.1065476190476184, 8, 2.00952380952381},
                                         Reference{1024, 4, 3.7026124440895583, 2.1665517449514984,
                                                   3.187803414070865, 128, 3.545719691120229},
                                         Reference{1024, 32, 15.348790332825233, 10.348484848484885,
                                                   15.507575757575783, 5, 4.278523400363934}));

// The estimate of a weighted sum is linear in the counts: its variance follows from what it makes
// of each count alone. `cells`: of every count.
double VarianceByDefinition(const RangeTree& tree, const std::vector<double>& variances,
                            const std::vector<double>& cells, const std::vector<double>& weights,
                            double apart) {
  double sum = 0;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const int64_t nodes = tree.NodesOf(level) + (tree.apart() ? 1 : 0);
    for (int64_t node = 0; node < nodes; ++node) {
      std::vector<double> counts(static_cast<size_t>(tree.cells()));
      const auto cell = static_cast<size_t>(tree.FirstOf(level) + node);
      counts[cell] = 1;
      const std::vector<double> leaves = LeastSquares(tree, counts, variances, 0);
      double found = tree.apart() ? apart * leaves.back() : 0;
      for (size_t i = 0; i < weights.size(); ++i) found += weights[i] * leaves[i];
      sum += found * found * cells[cell];
    }
  }
  return sum;
}

// Of every cell the variance of its level.
std::vector<double> OfCells(const RangeTree& tree, const std::vector<double>& variances) {
  std::vector<double> cells;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    cells.insert(cells.end(), static_cast<size_t>(tree.NodesOf(level) + (tree.apart() ? 1 : 0)),
                 variances[static_cast<size_t>(level)]);
  }
  return cells;
}

TEST(RangeVarianceTest, IsThatOfLeastSquares) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  for (const bool apart : {false, true}) {
    for (const int64_t branching : {0, 2, 3, 7}) {
      for (const int64_t leaves : {2, 3, 8, 22}) {
        const RangeTree tree(leaves, branching, apart);
        std::vector<double> variances, weights;
        for (int64_t i = 0; i < tree.levels(); ++i) variances.push_back(uniform(random));
        for (int64_t i = 0; i < leaves; ++i) weights.push_back(uniform(random));
        const RangeVariance variance(tree, variances);
        EXPECT_NEAR(variance.OfEach(weights, 0.7),
                    VarianceByDefinition(tree, variances, OfCells(tree, variances), weights, 0.7),
                    1e-10);
        const int64_t middle = leaves / 2;
        for (int64_t i = 0; i < leaves; ++i) weights[static_cast<size_t>(i)] = i < middle ? 3 : -1;
        EXPECT_NEAR(variance.Of({{middle, 3}, {leaves, -1}}, 0.25),
                    VarianceByDefinition(tree, variances, OfCells(tree, variances), weights, 0.25),
                    1e-10)
            << leaves << " leaves, branching " << branching;
      }
    }
  }
}

TEST(SumVarianceTest, IsThatOfLeastSquaresWhateverTheCellsVaryBy) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0, 2);
  for (const bool apart : {false, true}) {
    for (const int64_t branching : {0, 2, 3, 7}) {
      for (const int64_t leaves : {2, 3, 8, 22, 31}) {
        const RangeTree tree(leaves, branching, apart);
        std::vector<double> variances, cells, weights;
        for (int64_t i = 0; i < tree.levels(); ++i) variances.push_back(0.5 + uniform(random));
        for (int64_t i = 0; i < tree.cells(); ++i) cells.push_back(uniform(random));
        for (int64_t i = 0; i < leaves; ++i) weights.push_back(uniform(random) - 1);
        const SumVariance variance(tree, variances, cells);
        EXPECT_NEAR(variance.OfEach(weights, 0.7),
                    VarianceByDefinition(tree, variances, cells, weights, 0.7), 1e-10);
        const int64_t first = leaves / 3, second = leaves - leaves / 4;
        const std::vector<WeightedRun> runs = {{first, 0.5}, {second, 3}, {leaves, -1}};
        for (int64_t i = 0; i < leaves; ++i) {
          weights[static_cast<size_t>(i)] = i < first ? 0.5 : i < second ? 3 : -1;
        }
        EXPECT_NEAR(variance.Of(runs, 0.25),
                    VarianceByDefinition(tree, variances, cells, weights, 0.25), 1e-10)
            << leaves << " leaves, branching " << branching;
        EXPECT_NEAR(SumVariance(tree, variances, OfCells(tree, variances)).Of(runs, 0.25),
                    RangeVariance(tree, variances).Of(runs, 0.25), 1e-10);
      }
    }
  }
}

TEST(RangeVarianceTest, OverAllRangesIsTheirAverage) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  for (const bool apart : {false, true}) {
    for (const int64_t branching : {0, 2, 3, 7}) {
      for (const int64_t leaves : {2, 3, 8, 22}) {
        const RangeTree tree(leaves, branching, apart);
        std::vector<double> variances;
        for (int64_t i = 0; i < tree.levels(); ++i) variances.push_back(uniform(random));
        const RangeVariance variance(tree, variances);
        double sum = 0;
        for (int64_t begin = 0; begin < leaves; ++begin) {
          for (int64_t end = begin + 1; end <= leaves; ++end) sum += variance.OfRange(begin, end);
        }
        const double average = 2 * sum / static_cast<double>(leaves * (leaves + 1));
        EXPECT_NEAR(variance.OverAllRanges(), average, 1e-12 * (1 + average))
            << leaves << " leaves, branching " << branching;
      }
    }
  }
}

TEST(LeastSquaresTest, KeepsCountsThatAgreeAndTheTotal) {
  const RangeTree tree(13, 3, true);
  std::vector<double> cells(static_cast<size_t>(tree.cells()));
  std::vector<double> truth;
  double total = 0;
  for (int64_t leaf = 0; leaf <= tree.leaves(); ++leaf) {
    truth.push_back(static_cast<double>(leaf * leaf % 7));
    total += truth.back();
    for (int64_t level = 0; level < tree.levels(); ++level) {
      cells[tree.CellOf(leaf, level)] += truth.back();
    }
  }
  EXPECT_THAT(LeastSquares(tree, cells, {1, 2, 3}, total), Pointwise(DoubleNear(1e-12), truth));
  cells[3] += 5;
  double sum = 0;
  for (const double leaf : LeastSquares(tree, cells, {1, 2, 3}, total)) sum += leaf;
  EXPECT_NEAR(sum, total, 1e-9);
}

TEST(LeastSquaresTest, WithoutATotalTheHighestLevelIsLeftAsItIs) {
  const RangeTree flat(3, 0, true);
  EXPECT_THAT(LeastSquares(flat, {1.0, 2.0, 3.0, 4.0}, {1.0}, std::nullopt),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(LeastSquares(flat, {1.0, 2.0, 3.0, 4.0}, {1.0}, 14), ElementsAre(2, 3, 4, 5));
  // Two nodes of two leaves: a node's estimate of variance 1 and its leaves' sum of variance 2.
  const RangeTree tree(4, 2, false);
  EXPECT_THAT(LeastSquares(tree, {1.0, 1.0, 2.0, 2.0, 5.0, 4.0}, {1.0, 1.0}, std::nullopt),
              Pointwise(DoubleNear(1e-12), {2.0, 2.0, 2.0, 2.0}));
  const RangeVariance variance(tree, {1.0, 1.0});
  EXPECT_NEAR(variance.OfEach({1.0, 1.0, 0.0, 0.0}, 0, RangeTotal::kUnknown), 2.0 / 3, 1e-12);
  EXPECT_NEAR(variance.OfEach({1.0, 1.0, 1.0, 1.0}, 0, RangeTotal::kUnknown), 4.0 / 3, 1e-12);
  EXPECT_NEAR(
      variance.Of({{.end = 2, .weight = 1}, {.end = 4, .weight = 0}}, 0, RangeTotal::kUnknown),
      2.0 / 3, 1e-12);
}

TEST(RangeTreeTest, OneLeafStandsBesideOneApart) {
  const RangeTree tree(1, 0, true);
  EXPECT_EQ(tree.levels(), 1);
  EXPECT_EQ(tree.cells(), 2);
  EXPECT_EQ(tree.CellOf(1, 0), 1u);
  EXPECT_THAT(LeastSquares(tree, {3.0, 5.0}, {1.0}, 10), ElementsAre(4, 6));
}

}  // namespace
}  // namespace tombola
