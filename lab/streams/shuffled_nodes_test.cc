// Noise of shuffled streams against reference values from independent code.
#include "lab/streams/shuffled_nodes.h"

#include <algorithm>
#include <vector>

#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "gtest/gtest.h"
#include "lab/streams/noise.h"
#include "lab/streams/trees.h"

namespace tombola::lab {
namespace {

using stream::Norm;
using stream::Structure;

constexpr StreamTarget kTarget = {.epsilon = 1, .delta = 1e-6, .devices = 10000, .cells = 20};

// As the reference computes one: every atom of loss is rounded, so a percent lies between.
TEST(ShuffledNodesTest, ComposeAsTheReference) {
  struct Case {
    std::vector<double> means;
    double epsilon, low, high;
  };
  const Case cases[] = {
      {{80, 90}, 1, 2.7225637320912005e-07, 2.7242535080258413e-07},
      {{150, 120, 200, 400}, 1, 1.055867128352133e-07, 1.0573280068972326e-07},
      {{700, 500, 900, 1500, 800}, 0.5, 1.6967651818519313e-07, 1.702155270250889e-07}};
  for (const Case& each : cases) {
    std::vector<NoisyNode> nodes;
    for (const double mean : each.means) nodes.push_back({mean, 0});
    const auto delta = PeriodDelta(nodes, NodeNoise::kPoisson, each.epsilon);
    ASSERT_TRUE(delta.ok()) << delta.status();
    EXPECT_GE(*delta, each.low * (1 - 1e-9));
    EXPECT_LE(*delta, each.high * 1.01);
  }
}

TEST(ShuffledNodesTest, HaveTheReferenceVariancesAndMessages) {
  struct Row {
    bool best;
    int64_t periods;
    double mean, max, messages;
  };
  const Row rows[] = {{true, 24, 291.6747123768209, 439.93777381944267, 2.083521194651049},
                      {true, 52, 416.0481055459854, 597.1604964627343, 2.5250571032642295},
                      {false, 52, 439.70953896262586, 548.883501126438, 3.542419741085602}};
  for (const Row& row : rows) {
    const Structure structure =
        row.best ? *Structure::Best(row.periods, Norm::kL2) : *Structure::Fenwick(row.periods);
    const auto nodes = PlanShuffledNodes(structure, stream::SharesOf(structure, Norm::kL2),
                                         NodeNoise::kPoisson, kTarget, row.periods);
    ASSERT_TRUE(nodes.ok()) << nodes.status();
    EXPECT_EQ(nodes->raise, 1);
    EXPECT_LE(nodes->worst, 1);
    EXPECT_EQ(nodes->looked_at, row.periods);
    EXPECT_NEAR(SpreadOf(structure, *nodes).mean / row.mean, 1, 1e-6);
    EXPECT_NEAR(SpreadOf(structure, *nodes).max / row.max, 1, 1e-6);
    EXPECT_NEAR(nodes->messages / row.messages, 1, 1e-6);
  }
}

TEST(ShuffledNodesTest, OfCorrelatedNoiseHaveTheReferenceVariances) {
  const NoiseOf noise = CorrelatedShares(1);
  const Structure plain = *Structure::Plain(52), tree = *Structure::Fenwick(52);
  const Structure best = *Structure::Best(52, Norm::kL1);
  const auto mean = [&](const Structure& structure, const stream::Shares& shares) {
    return StructureSpread(structure, shares, noise);
  };
  EXPECT_NEAR(mean(plain, stream::SharesOf(plain, Norm::kL1)).max / 505.00063007796865, 1, 1e-6);
  EXPECT_NEAR(mean(tree, EqualShares(tree, Norm::kL1)).mean / 977.3195733219256, 1, 1e-6);
  EXPECT_NEAR(mean(tree, stream::SharesOf(tree, Norm::kL1)).mean / 547.204555300948, 1, 1e-6);
  EXPECT_NEAR(mean(best, stream::SharesOf(best, Norm::kL1)).mean / 221.03829688154025, 1, 1e-6);
}

// Binomial noise with the rule's mean has less variance than the rule says, and is not enough; with
// its variance it is.
TEST(ShuffledNodesTest, OfAueHaveTheRulesVarianceNotItsMean) {
  const Structure tree = *Structure::Fenwick(24);
  const stream::Shares shares = stream::SharesOf(tree, Norm::kL2);
  StreamTarget target = kTarget;
  target.devices = 2000;
  const auto few = PlanShuffledNodes(tree, shares, NodeNoise::kBinomial, target, 24);
  const auto many = PlanShuffledNodes(tree, shares, NodeNoise::kBinomial, kTarget, 24);
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_LE(few->worst, 1);
  EXPECT_LE(many->worst, 1);
  EXPECT_GT(few->messages, many->messages);
  double most = 0;
  for (int64_t t = 1; t <= 24; ++t) {
    std::vector<NoisyNode> by_mean;
    for (const int64_t node : tree.Cover(t)) {
      const int64_t devices = (node - tree.start(node)) * target.devices;
      const double mean = few->variance[node - 1] / few->raise;
      by_mean.push_back({mean * (1 - mean / static_cast<double>(devices)), devices});
    }
    most = std::max(most, *PeriodDelta(by_mean, NodeNoise::kBinomial, target.epsilon));
  }
  EXPECT_GT(most, 1.05 * target.delta);
  target.devices = 1000;
  EXPECT_FALSE(PlanShuffledNodes(tree, shares, NodeNoise::kBinomial, target, 24).ok());
}

}  // namespace
}  // namespace tombola::lab
