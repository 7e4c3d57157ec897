#include "common/stream/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "common/stream/structure.h"

namespace tombola::stream {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Pointwise;

Structure FenwickOf(int64_t periods) { return *Structure::Fenwick(periods); }

double ErrorOf(const Structure& structure, Norm norm) {
  const TotalVariances variances = VariancesOf(structure, SharesOf(structure, norm));
  return std::accumulate(variances.of_total.begin(), variances.of_total.end(), 0.0);
}

MATCHER_P(RelativelyNear, tolerance, "") {
  return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= tolerance * std::abs(std::get<1>(arg));
}

// The sums of the totals' variances.
TEST(SharesTest, HaveTheErrorsOfTheReference) {
  struct Case {
    bool fenwick;
    Norm norm;
    int64_t periods;
    double error;
  };
  const std::vector<Case> cases = {
      {true, Norm::kL1, 1, 1.0},
      {true, Norm::kL1, 2, 8.0},
      {true, Norm::kL1, 3, 12.541966305589222},
      {true, Norm::kL1, 6, 61.396870459651645},
      {true, Norm::kL1, 7, 72.35466696801535},
      {true, Norm::kL1, 10, 184.48644447657236},
      {true, Norm::kL1, 15, 306.89588413702216},
      {true, Norm::kL1, 24, 825.3177583114277},
      {true, Norm::kL1, 31, 1102.2251697702932},
      {true, Norm::kL1, 52, 2883.4431621847807},
      {true, Norm::kL1, 365, 55988.49346752994},
      {true, Norm::kL1, 1000, 218142.24894867302},
      {true, Norm::kL1, 1023, 222761.8446492846},
      {true, Norm::kL2, 1, 1.0},
      {true, Norm::kL2, 2, 4.0},
      {true, Norm::kL2, 3, 6.82842712474619},
      {true, Norm::kL2, 6, 22.880560878561045},
      {true, Norm::kL2, 7, 28.109357968503396},
      {true, Norm::kL2, 10, 53.475421662774984},
      {true, Norm::kL2, 15, 94.210372359954},
      {true, Norm::kL2, 24, 201.16059881191867},
      {true, Norm::kL2, 31, 282.0703669407344},
      {true, Norm::kL2, 52, 612.6711418986897},
      {true, Norm::kL2, 365, 8684.128730608369},
      {true, Norm::kL2, 1000, 31371.77975635718},
      {true, Norm::kL2, 1023, 32231.142535610736},
      {false, Norm::kL1, 1, 1.0},
      {false, Norm::kL1, 2, 3.0},
      {false, Norm::kL1, 3, 6.000000000000001},
      {false, Norm::kL1, 6, 20.999999999999996},
      {false, Norm::kL1, 7, 27.999999999999993},
      {false, Norm::kL1, 10, 54.999999999999986},
      {false, Norm::kL1, 15, 119.99999999999997},
      {false, Norm::kL1, 24, 300.0},
      {false, Norm::kL1, 31, 483.5353191804925},
      {false, Norm::kL1, 52, 1172.7643786317929},
      {false, Norm::kL1, 365, 24754.480502052065},
      {false, Norm::kL1, 1000, 106036.50052207251},
      {false, Norm::kL1, 1023, 109477.26292632727},
      {false, Norm::kL2, 1, 1.0},
      {false, Norm::kL2, 2, 3.0000000000000004},
      {false, Norm::kL2, 3, 6.0},
      {false, Norm::kL2, 6, 19.928203230275514},
      {false, Norm::kL2, 7, 25.74596669241484},
      {false, Norm::kL2, 10, 45.889684627091235},
      {false, Norm::kL2, 15, 87.66726407120537},
      {false, Norm::kL2, 24, 180.51121688373544},
      {false, Norm::kL2, 31, 265.31400189216026},
      {false, Norm::kL2, 52, 566.1157127134828},
      {false, Norm::kL2, 365, 8222.3084435964},
      {false, Norm::kL2, 1000, 30254.42518877759},
      {false, Norm::kL2, 1023, 31142.442752029365},
  };
  for (const Case& c : cases) {
    const Structure structure =
        c.fenwick ? FenwickOf(c.periods) : *Structure::Best(c.periods, c.norm);
    EXPECT_NEAR(ErrorOf(structure, c.norm) / c.error, 1, 1e-9) << c.periods;
    EXPECT_LE(LargestColumn(structure, SharesOf(structure, c.norm)), 1 + 1e-12);
  }
}

TEST(SharesTest, OfFenwickTreesAreThoseOfTheReference) {
  const std::vector<double> of_7_l1 = {0.26288399042669985,
                                       0.3312130732189615,
                                       0.5940970636456614,
                                       0.4059029363543386,
                                       0.4424933340244421,
                                       0.5575066659755579,
                                       1.0};
  EXPECT_THAT(SharesOf(FenwickOf(7), Norm::kL1).of_node, Pointwise(RelativelyNear(1e-9), of_7_l1));
  const std::vector<double> of_10_l1 = {0.1952911383115211,
                                        0.24605141601661654,
                                        0.4413425543281376,
                                        0.30153698730745027,
                                        0.3287192451568806,
                                        0.4141602964787072,
                                        0.7428795416355879,
                                        0.2571204583644121,
                                        0.5,
                                        0.5};
  EXPECT_THAT(SharesOf(FenwickOf(10), Norm::kL1).of_node,
              Pointwise(RelativelyNear(1e-9), of_10_l1));
  const std::vector<double> of_10_l2 = {0.17685610450756842,
                                        0.2501123015830766,
                                        0.42696840609064507,
                                        0.3267874703084391,
                                        0.312215906722919,
                                        0.4415399696761651,
                                        0.7537558763990841,
                                        0.24624412360091585,
                                        0.5,
                                        0.5};
  EXPECT_THAT(SharesOf(FenwickOf(10), Norm::kL2).of_node,
              Pointwise(RelativelyNear(1e-9), of_10_l2));
  const std::vector<double> of_24_l2 = {
      0.11688110884718299, 0.1652948493168921,  0.2821759581640751,  0.21596812840227245,
      0.20633803667173828, 0.29180604989460923, 0.49814408656634757, 0.26575075656586056,
      0.17923504206055768, 0.25347662733455273, 0.43271166939511047, 0.33118317373709766,
      0.3164156042522286,  0.4474792388799795,  0.7638948431322081,  0.23610515686779188,
      0.197400571460389,   0.27916656537948137, 0.4765671368398704,  0.36474869535657006,
      0.3484844279349727,  0.4928314042614677,  0.8413158321964405,  0.15868416780355954};
  EXPECT_THAT(SharesOf(FenwickOf(24), Norm::kL2).of_node,
              Pointwise(RelativelyNear(1e-9), of_24_l2));
}

TEST(SharesTest, OfOneFenwickNodeAreThoseOfTheWholeTree) {
  for (const int64_t periods : {1, 2, 7, 10, 64, 100, 1000}) {
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      const Shares whole = SharesOf(FenwickOf(periods), norm);
      const FenwickShares shares(periods, norm);
      for (int64_t t = 1; t <= periods; ++t) {
        EXPECT_NEAR(shares.Of(t), whole.of_node[static_cast<size_t>(t - 1)], 1e-12);
      }
    }
  }
}

TEST(SharesTest, OfAFenwickTreeWhoseLastTotalCountsMoreAreTheSameOneByOne) {
  for (const int64_t periods : {1, 2, 3, 8, 10, 63, 64, 100}) {
    for (const double last_weight : {1.0, 3.0, 500.0}) {
      std::vector<double> weights(static_cast<size_t>(periods), 1);
      weights.back() = last_weight;
      const Shares whole = SharesOf(FenwickOf(periods), Norm::kL1, weights);
      const FenwickShares shares(periods, Norm::kL1, last_weight);
      for (int64_t t = 1; t <= periods; ++t) {
        EXPECT_NEAR(shares.Of(t), whole.of_node[static_cast<size_t>(t - 1)], 1e-12)
            << periods << " " << last_weight;
      }
    }
  }
}

TEST(SharesTest, OfWeightedTotalsAreThoseOfTheReference) {
  std::vector<double> weights;
  for (int t = 1; t <= 24; ++t) weights.push_back(1.0 / (t * t));
  const std::vector<double> expected = {
      0.4208759412029969,  0.2529149644360954,  0.6737909056390923, 0.15994656268260904,
      0.3974787629088517,  0.4362587054128496,  0.8337374683217014, 0.10545404385805537,
      0.26986839376565064, 0.3282448986367023,  0.5981132924023529, 0.3410782197774038,
      0.4137080369856357,  0.5254834751941211,  0.9391915121797567, 0.060808487820243284,
      0.22873381331894974, 0.29757639035562616, 0.5263102036745759, 0.3385025051652278,
      0.3726178093787443,  0.4921948994610593,  0.8648127088398037, 0.13518729116019634};
  const Structure structure = FenwickOf(24);
  const Shares shares = SharesOf(structure, Norm::kL2, weights);
  EXPECT_THAT(shares.of_node, Pointwise(RelativelyNear(1e-9), expected));
  const TotalVariances variances = VariancesOf(structure, shares);
  EXPECT_NEAR(std::inner_product(weights.begin(), weights.end(), variances.of_total.begin(), 0.0),
              6.499868930776533, 1e-9);
}

TEST(SharesTest, GiveNothingToNodesThatServeNoTotal) {
  const Structure structure = FenwickOf(6);
  const Shares shares = SharesOf(structure, Norm::kL1, {0, 0, 0, 1, 0, 0});
  EXPECT_THAT(shares.of_node, Pointwise(DoubleNear(0), {0.0, 0.0, 0.0, 1.0, 0.0, 0.0}));
  EXPECT_TRUE(std::isinf(VariancesOf(structure, shares).of_total[4]));
}

TEST(SharesTest, HaveMeansAndMaximaOfTheReference) {
  const auto best = [](int64_t periods, Norm norm) {
    const Structure structure = *Structure::Best(periods, norm);
    return VariancesOf(structure, SharesOf(structure, norm));
  };
  EXPECT_NEAR(best(52, Norm::kL1).mean, 22.553161127534487, 1e-9);
  EXPECT_NEAR(best(52, Norm::kL2).mean, 10.88684062910544, 1e-9);
  EXPECT_DOUBLE_EQ(best(24, Norm::kL1).max, 24);
  EXPECT_NEAR(best(7, Norm::kL2).max, 5.774596669241483, 1e-9);
}

TEST(SharesTest, AreFeasibleWhereNodesAreNotNested) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> start;
    for (int64_t t = 1; t <= 30; ++t) {
      start.push_back(std::uniform_int_distribution<int64_t>(0, t - 1)(random));
    }
    const Structure structure = *Structure::FromStart(start);
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      const Shares shares = SharesOf(structure, norm);
      EXPECT_THAT(shares.of_node, Each(::testing::Gt(0)));
      EXPECT_LE(LargestColumn(structure, shares), 1 + 1e-12);
    }
  }
}

TEST(SharesTest, CountTheNodesOverThePeriodsOfANode) {
  // Over the periods lie 2, 2, 1, 1 nodes.
  const Structure structure = *Structure::FromStart({0, 0, 1, 3});
  ASSERT_FALSE(structure.IsNested());
  EXPECT_THAT(SharesOf(structure, Norm::kL1).of_node,
              Pointwise(DoubleNear(1e-12), {0.5, 0.5, 0.5, 1.0}));
}

// What no shares of a structure can go below: for mu >= 0 of sum 1 and m_i the sum of mu over the
// periods of node i, Hoelder's inequality has (sum of (u m)^(1/2))^2, or of u^(1/3) m^(2/3) the
// cube, u_i being the number of totals that node i is in. The best mu is found by multiplying with
// the gradient.
double LowestError(const Structure& structure, Norm norm) {
  const int64_t n = structure.periods();
  const double power = norm == Norm::kL1 ? 2.0 / 3 : 0.5;
  std::vector<double> uses(static_cast<size_t>(n) + 1), m(static_cast<size_t>(n) + 1);
  for (int64_t t = 1; t <= n; ++t) {
    for (const int64_t node : structure.Chain(t)) ++uses[static_cast<size_t>(node)];
  }
  std::vector<double> mu(static_cast<size_t>(n) + 1, 1.0 / static_cast<double>(n));
  double sum = 0;
  for (int round = 0; round < 400; ++round) {
    std::fill(m.begin(), m.end(), 0);
    for (int64_t t = 1; t <= n; ++t) {
      for (const int64_t node : structure.Cover(t)) {
        m[static_cast<size_t>(node)] += mu[static_cast<size_t>(t)];
      }
    }
    sum = 0;
    for (size_t i = 1; i < m.size(); ++i) {
      sum += std::pow(uses[i], 1 - power) * std::pow(m[i], power);
    }
    for (int64_t t = 1; t <= n; ++t) {
      double gradient = 0;
      for (const int64_t node : structure.Cover(t)) {
        const auto i = static_cast<size_t>(node);
        gradient += std::pow(uses[i] / m[i], 1 - power);
      }
      mu[static_cast<size_t>(t)] *= gradient / sum;
    }
  }
  return std::pow(sum, 1 / (1 - power));
}

// All of the N! arrays, nested or not.
TEST(BestStructureTest, IsTheBestOfAllUpToSixPeriods) {
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    for (int64_t periods = 1; periods <= 6; ++periods) {
      const double best = ErrorOf(*Structure::Best(periods, norm), norm);
      double least = INFINITY;
      std::vector<int64_t> start(static_cast<size_t>(periods), 0);
      while (true) {
        const Structure structure = *Structure::FromStart(start);
        const double lowest = LowestError(structure, norm);
        EXPECT_LE(best, lowest * (1 + 1e-3));
        if (structure.IsNested()) {
          const double error = ErrorOf(structure, norm);
          EXPECT_GE(error, lowest * (1 - 1e-9));
          EXPECT_LE(error, lowest * (1 + 1e-2)) << "shares of a nested structure are the best";
          least = std::min(least, error);
        }
        size_t i = 0;
        while (i < start.size() && start[i] == static_cast<int64_t>(i)) start[i++] = 0;
        if (i == start.size()) break;
        ++start[i];
      }
      EXPECT_NEAR(best, least, 1e-9);
    }
  }
}

TEST(BestStructureTest, OfTheLastTotalIsOneNode) {
  const Structure structure = *Structure::Best(365, Norm::kL1, /*first_total=*/365);
  EXPECT_EQ(structure.start(365), 0);
  EXPECT_THAT(structure.Cover(100), ::testing::ElementsAre(365));
  EXPECT_DOUBLE_EQ(VariancesOf(structure, SharesOf(structure, Norm::kL1)).mean, 1);
}

TEST(BestStructureTest, OfLaterTotalsMakesEarlierPeriodsOne) {
  const Structure late = *Structure::Best(120, Norm::kL2, /*first_total=*/69);
  const Structure alone = *Structure::Best(52, Norm::kL2);
  EXPECT_NEAR(ErrorOf(late, Norm::kL2), ErrorOf(alone, Norm::kL2), 1e-9);
  EXPECT_LE(LargestColumn(late, SharesOf(late, Norm::kL2)), 1 + 1e-12);
  EXPECT_EQ(late.Cover(1), late.Cover(69));
}

// The budget is split along the nodes of every other nested structure likewise; a better one for
// weighted totals would be found here.
TEST(BestStructureTest, OfLaterTotalsIsTheBestOfAllNestedOnesOfSixPeriods) {
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    for (int64_t first_total = 1; first_total <= 6; ++first_total) {
      const double best = ErrorOf(*Structure::Best(6, norm, first_total), norm);
      std::vector<double> weights(6, 0);
      for (int64_t t = first_total; t <= 6; ++t) weights[static_cast<size_t>(t - 1)] = 1;
      std::vector<int64_t> start(6, 0);
      while (true) {
        const Structure structure = *Structure::FromStart(start);
        if (structure.IsNested()) {
          const Shares shares = SharesOf(structure, norm, weights);
          const TotalVariances variances = VariancesOf(structure, shares);
          double error = 0;
          for (int64_t t = first_total; t <= 6; ++t) {
            error += variances.of_total[static_cast<size_t>(t - 1)];
          }
          EXPECT_GE(error, best * (1 - 1e-9));
        }
        size_t i = 0;
        while (i < start.size() && start[i] == static_cast<int64_t>(i)) start[i++] = 0;
        if (i == start.size()) break;
        ++start[i];
      }
    }
  }
}

}  // namespace
}  // namespace tombola::stream
