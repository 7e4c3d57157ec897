#include "common/stream/placement.h"

#include <algorithm>
#include <vector>

#include "common/stream/shares.h"
#include "gtest/gtest.h"

namespace tombola::stream {
namespace {

// The sum of c^2 share: how much more several periods of a device weigh than one.
double Weight(const Structure& structure, int64_t chosen) {
  const Shares shares = SharesOf(structure, Norm::kL2);
  return LargestPlacement(structure, chosen, [&](int64_t node, int64_t c) {
    return static_cast<double>(c * c) * shares.of_node[static_cast<size_t>(node - 1)];
  });
}

TEST(PlacementTest, HasTheWeightsOfTheReference) {
  struct Row {
    bool best;
    int64_t periods, chosen;
    double weight;
  };
  const Row rows[] = {{false, 52, 2, 3.744620819691025},   {false, 52, 4, 13.483974590642305},
                      {false, 52, 8, 45.43246322391805},   {false, 52, 52, 426.90536583260035},
                      {true, 52, 2, 3.5617350575615276},   {true, 52, 4, 13.151277874149931},
                      {true, 52, 8, 42.707703985470886},   {true, 52, 52, 317.44676261667854},
                      {false, 365, 2, 3.867428091518901},  {false, 365, 4, 14.693886126888138},
                      {false, 365, 8, 54.361258959246236}, {false, 365, 365, 15521.809148572513},
                      {true, 365, 2, 3.7940928569743786},  {true, 365, 4, 14.245637839898617},
                      {true, 365, 8, 51.48952213901785},   {true, 365, 365, 11612.500876504706}};
  for (const Row& row : rows) {
    const Structure structure =
        row.best ? *Structure::Best(row.periods, Norm::kL2) : *Structure::Fenwick(row.periods);
    EXPECT_NEAR(Weight(structure, row.chosen) / row.weight, 1, 1e-9)
        << row.best << " " << row.periods << " " << row.chosen;
  }
}

TEST(PlacementTest, OfPlainPeriodsIsTheirNumber) {
  EXPECT_EQ(Weight(*Structure::Plain(10), 3), 3);
  EXPECT_EQ(Weight(*Structure::Plain(10), 20), 10);
}

// All subsets of 12 periods, for values that grow in no simple way.
TEST(PlacementTest, IsTheLargestOfAllPlacements) {
  for (const Structure& structure :
       {*Structure::Fenwick(12), *Structure::Best(12, Norm::kL2), *Structure::Plain(12)}) {
    const auto value = [](int64_t node, int64_t c) {
      return static_cast<double>((node * 7919 + c * 104729) % 1009);
    };
    for (const int64_t chosen : {1, 2, 3, 5, 12}) {
      double largest = 0;
      for (uint32_t set = 0; set < 1U << 12; ++set) {
        if (__builtin_popcount(set) > chosen) continue;
        double sum = 0;
        for (int64_t node = 1; node <= 12; ++node) {
          int64_t c = 0;
          for (int64_t t = structure.start(node) + 1; t <= node; ++t) c += set >> (t - 1) & 1;
          if (c > 0) sum += value(node, c);
        }
        largest = std::max(largest, sum);
      }
      EXPECT_EQ(LargestPlacement(structure, chosen, value), largest) << chosen;
    }
  }
}

}  // namespace
}  // namespace tombola::stream
