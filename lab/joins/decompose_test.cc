#include "lab/joins/decompose.h"

#include <cmath>

#include "gtest/gtest.h"
#include "lab/joins/grid.h"

namespace tombola::lab {
namespace {

// How much each place counts.
std::vector<double> Covered(const PlaceTree& tree, const std::vector<WeightedNode>& nodes) {
  std::vector<double> covered(tree.places(), 0);
  for (const WeightedNode& node : nodes) {
    const Interval below = tree.Below(node.level, node.node);
    for (int32_t place = below.begin; place < below.end; ++place) covered[place] += node.weight;
  }
  return covered;
}

TEST(DecomposeTest, BothWaysCountEveryPlaceOfEveryRangeOnce) {
  for (const auto& [places, branching] : {std::pair{8, 2}, {27, 3}, {25, 5}, {23, 4}}) {
    const PlaceTree tree(places, branching);
    for (int32_t begin = 0; begin < places; ++begin) {
      for (int32_t end = begin + 1; end <= places; ++end) {
        const Interval range = {begin, end};
        const auto plain = Covered(tree, Decompose(tree, range));
        const auto less = Covered(tree, DecomposeSigned(tree, range, 1));
        for (int32_t place = 0; place < places; ++place) {
          ASSERT_EQ(plain[place], range.Holds(place) ? 1 : 0) << begin << ".." << end;
          ASSERT_EQ(less[place], range.Holds(place) ? 1 : 0) << begin << ".." << end;
        }
        EXPECT_LE(DecomposeSigned(tree, range, 1).size(), Decompose(tree, range).size());
      }
    }
  }
}

// All ranges of 19 of 125 places, with a root that costs nothing; the reference fills trees up with
// empty places.
TEST(DecomposeTest, HasTheReferenceNumbersOfNodes) {
  struct Row {
    int32_t branching;
    double plain, with_subtraction;
  };
  for (const Row& row : {Row{2, 4.271028037383178, 3.7757009345794392},
                         {4, 6.299065420560748, 4.794392523364486},
                         {5, 7, 5.467289719626168},
                         {6, 7.364485981308412, 6.018691588785047},
                         {11, 10.869158878504672, 7.149532710280374},
                         {25, 19, 12.83177570093458}}) {
    int32_t places = row.branching;
    while (places < 125) places *= row.branching;
    const PlaceTree tree(places, row.branching);
    double plain = 0, cost = 0;
    for (int32_t begin = 0; begin + 19 <= 125; ++begin) {
      plain += static_cast<double>(Decompose(tree, {begin, begin + 19}).size()) / 107;
      for (const WeightedNode& node : DecomposeSigned(tree, {begin, begin + 19}, 0)) {
        if (node.level > 0) cost += 1.0 / 107;
      }
    }
    EXPECT_NEAR(plain, row.plain, 1e-9) << row.branching;
    EXPECT_NEAR(cost, row.with_subtraction, 1e-9) << row.branching;
  }
}

TEST(DecomposeTest, SubtractsFromTheRoot) {
  const auto nodes = DecomposeSigned(PlaceTree(125, 5), {1, 124}, /*root_cost=*/0);
  ASSERT_EQ(nodes.size(), 3);  // all places but the first and the last
  EXPECT_EQ(nodes[0].level, 0);
  EXPECT_EQ(nodes[1].weight, -1);
}

TEST(DecomposeTest, WithoutLeavesCountsByShares) {
  const PlaceTree tree(25, 5);
  const auto covered = Covered(tree, DecomposeWithoutLeaves(tree, {3, 12}));
  EXPECT_DOUBLE_EQ(covered[0], 0.4);
  EXPECT_DOUBLE_EQ(covered[7], 1);
  EXPECT_DOUBLE_EQ(covered[11], 0.4);
  EXPECT_DOUBLE_EQ(covered[20], 0);
}

TEST(GridTest, CellsAreAllPlacesAndAsPublished) {
  for (const int32_t cells : {2, 7, 125}) {
    int32_t next = 0;
    for (int32_t cell = 0; cell < cells; ++cell) {
      EXPECT_EQ(GridCell(125, cells, cell).begin, next);
      next = GridCell(125, cells, cell).end;
    }
    EXPECT_EQ(next, 125);
    double places = 0;
    for (const WeightedNode& node : OverlappedCells(125, cells, {13, 59})) {
      places += node.weight * GridCell(125, cells, node.node).width();
    }
    EXPECT_NEAR(places, 46, 1e-9);
  }
  // The guideline of TDG and HDG: 64.32, 110.6; 11.875, 10.407.
  EXPECT_EQ(GridCells(1, PublishedGridNoise(1, 1e6), 125), 64);
  EXPECT_EQ(GridCells(1, PublishedGridNoise(2, 1e6), 125), 111);
  EXPECT_EQ(GridCells(1, PublishedGridNoise(5, 1e6), 125), 125);
  EXPECT_EQ(GridCells(2, PublishedGridNoise(2, 1e6), 125), 12);
  EXPECT_EQ(GridCells(2, PublishedGridNoise(1, 3e6), 125), 10);
  // The best of 3, 4, 5, 6, 8, 10 and 12 were 5 and 6 in simulations.
  EXPECT_EQ(GridCells(3, PublishedGridNoise(1, 1e6), 125), 6);
}

}  // namespace
}  // namespace tombola::lab
