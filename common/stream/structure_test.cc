#include "common/stream/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "absl/status/status.h"

namespace tombola::stream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Structure RandomStructure(int64_t periods, std::mt19937_64& random) {
  std::vector<int64_t> start;
  for (int64_t t = 1; t <= periods; ++t) {
    start.push_back(std::uniform_int_distribution<int64_t>(0, t - 1)(random));
  }
  return *Structure::FromStart(start);
}

TEST(StructureTest, OfAFenwickTreeHasTheNodesOfTheReference) {
  const Structure of_12 = *Structure::Fenwick(12);
  EXPECT_THAT(of_12.Cover(5), ElementsAre(5, 6, 8));
  EXPECT_THAT(of_12.Chain(5), ElementsAre(5, 4));
  EXPECT_THAT(of_12.Cover(8), ElementsAre(8));
  EXPECT_THAT(of_12.Chain(8), ElementsAre(8));
  EXPECT_THAT(of_12.Range(8, 8), ElementsAre(SignedNode{8, 1}, SignedNode{7, -1}, SignedNode{6, -1},
                                             SignedNode{4, -1}));
  const Structure of_24 = *Structure::Fenwick(24);
  EXPECT_THAT(of_24.Cover(13), ElementsAre(13, 14, 16));
  EXPECT_THAT(of_24.Chain(13), ElementsAre(13, 12, 8));
  EXPECT_THAT(of_24.Range(6, 19),
              ElementsAre(SignedNode{19, 1}, SignedNode{18, 1}, SignedNode{16, 1},
                          SignedNode{5, -1}, SignedNode{4, -1}));
  EXPECT_THAT(of_24.Range(1, 24), ElementsAre(SignedNode{24, 1}, SignedNode{16, 1}));
}

TEST(StructureTest, ShapesThatAreComputedAreThoseThatAreListed) {
  for (const int64_t periods : {1, 2, 3, 8, 31, 52}) {
    for (const Structure& computed : {*Structure::Plain(periods), *Structure::Fenwick(periods)}) {
      std::vector<int64_t> start;
      for (int64_t t = 1; t <= periods; ++t) start.push_back(computed.start(t));
      const Structure listed = *Structure::FromStart(start);
      EXPECT_EQ(listed.Depth(), computed.Depth());
      EXPECT_TRUE(listed.IsNested());
      for (int64_t t = 1; t <= periods; ++t) EXPECT_EQ(listed.Cover(t), computed.Cover(t));
    }
  }
}

// Totals are W = B M with M the nodes' periods and B the totals' nodes: every period up to t is in
// total(t) once.
TEST(StructureTest, EveryTotalHasEveryPeriodOnce) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const int64_t periods = 1 + round % 25;
    const Structure structure = RandomStructure(periods, random);
    for (int64_t t = 1; t <= periods; ++t) {
      const std::vector<int64_t> chain = structure.Chain(t);
      const std::set<int64_t> in_total(chain.begin(), chain.end());
      for (int64_t period = 1; period <= periods; ++period) {
        int64_t times = 0;
        for (const int64_t node : structure.Cover(period)) {
          EXPECT_TRUE(structure.start(node) < period && period <= node);
          times += in_total.count(node) > 0 ? 1 : 0;
        }
        EXPECT_EQ(times, period <= t ? 1 : 0);
      }
    }
  }
}

// What the signed nodes and the strange periods say, period by period, whatever is void.
TEST(StructureTest, ARangeHasItsPeriodsAndWhatItNames) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 300; ++round) {
    const int64_t periods = 1 + round % 20;
    const Structure structure =
        round % 2 == 0 ? *Structure::Fenwick(periods) : RandomStructure(periods, random);
    std::set<int64_t> voids;
    for (int64_t t = 1; t <= periods; ++t) {
      if (round % 3 != 0 && random() % 4 == 0) voids.insert(t);
    }
    const auto released = [&](int64_t node) { return voids.count(node) == 0; };
    for (int64_t first = 1; first <= periods; ++first) {
      for (int64_t last = first; last <= periods; ++last) {
        const RangeParts parts = structure.Range(first, last, released);
        std::vector<int64_t> times(static_cast<size_t>(periods) + 1);
        for (const SignedNode& node : parts.nodes) {
          EXPECT_TRUE(released(node.node));
          for (int64_t p = structure.start(node.node) + 1; p <= node.node; ++p) {
            times[static_cast<size_t>(p)] += node.sign;
          }
        }
        for (const int64_t p : parts.missing) ++times[static_cast<size_t>(p)];
        for (const SignedNode& p : parts.strange) {
          EXPECT_LT(p.node, first);
          times[static_cast<size_t>(p.node)] -= p.sign;
        }
        for (int64_t p = 1; p <= periods; ++p) {
          EXPECT_EQ(times[static_cast<size_t>(p)], p >= first && p <= last ? 1 : 0);
        }
      }
    }
  }
}

TEST(VoidNodesTest, MakeAPeriodMissUntilALaterNodeBringsItBack) {
  const Structure structure = *Structure::Fenwick(12);
  const auto but = [](int64_t gone) { return [gone](int64_t node) { return node != gone; }; };
  EXPECT_THAT(structure.Total(3, but(3)).missing, ElementsAre(3));
  EXPECT_THAT(structure.Total(3, but(3)).nodes, ElementsAre(2));
  EXPECT_THAT(structure.Total(4, but(3)).missing, IsEmpty());
  for (int64_t t = 8; t <= 12; ++t) {
    EXPECT_THAT(structure.Total(t, but(8)).missing, ElementsAre(8));
  }
  EXPECT_THAT(structure.Total(12, but(8)).nodes, ElementsAre(12, 7, 6, 4));
  // Node 8 has both 4 and 8; without node 4 nothing tells them apart.
  const RangeParts parts = structure.Range(8, 8, but(4));
  EXPECT_THAT(parts.strange, ElementsAre(SignedNode{4, 1}));
}

TEST(StructureTest, KnowsWhetherNodesAreNested) {
  EXPECT_TRUE(Structure::FromStart({0, 0, 0})->IsNested());
  EXPECT_TRUE(Structure::FromStart({0, 1, 0, 3})->IsNested());
  EXPECT_FALSE(Structure::FromStart({0, 0, 1})->IsNested());
  EXPECT_TRUE(Structure::Best(100, Norm::kL2)->IsNested());
}

TEST(StructureTest, HasTheDepthsOfTheReference) {
  EXPECT_EQ(Structure::Best(24, Norm::kL1)->Depth(), 1);
  EXPECT_EQ(Structure::Best(52, Norm::kL1)->Depth(), 2);
  EXPECT_EQ(Structure::Best(365, Norm::kL1)->Depth(), 3);
  EXPECT_EQ(Structure::Best(24, Norm::kL2)->Depth(), 3);
  EXPECT_EQ(Structure::Best(365, Norm::kL2)->Depth(), 6);
  EXPECT_EQ(Structure::Fenwick(1000)->Depth(), 10);
}

TEST(StructureTest, RefusesWhatIsOutOfRange) {
  EXPECT_THAT(Structure::Plain(0).status().message(), HasSubstr("periods must be in [1, 2^20]"));
  EXPECT_THAT(Structure::Fenwick(kMostPeriods + 1).status().message(), HasSubstr("periods"));
  EXPECT_TRUE(Structure::Fenwick(kMostPeriods).ok());
  EXPECT_THAT(Structure::Best(kMostSearchedPeriods + 1, Norm::kL1).status().message(),
              HasSubstr("at most 4096"));
  EXPECT_TRUE(Structure::Best(10'000, Norm::kL1, 9'000).ok());
  EXPECT_THAT(Structure::Best(10, Norm::kL1, 11).status().message(), HasSubstr("first_total"));
  EXPECT_THAT(Structure::FromStart({}).status().message(), HasSubstr("periods"));
  EXPECT_THAT(Structure::FromStart({0, 2}).status().message(),
              HasSubstr("start of node 2 must be in [0, 1], is 2"));
  EXPECT_THAT(Structure::FromStart({0, -1}).status().message(), HasSubstr("is -1"));
  EXPECT_THAT(Structure::FromStart({0, 1, 2, 1}, 3).status().message(),
              HasSubstr("start of node 3 must be 0 or at least 3"));
}

}  // namespace
}  // namespace tombola::stream
