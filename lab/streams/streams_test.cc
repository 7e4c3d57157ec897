// Running totals of exact numbers: reference variances from independent code, FDA against a general
// solver, and runs of the mechanisms.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/simulation/distributions.h"
#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "common/stream/toeplitz.h"
#include "gtest/gtest.h"
#include "lab/sample/test_moments.h"
#include "lab/streams/general_shares.h"
#include "lab/streams/noise.h"
#include "lab/streams/toeplitz.h"
#include "lab/streams/trees.h"

namespace tombola::lab {
namespace {

using stream::Norm;
using stream::Shares;
using stream::Structure;

// GaussianTheta of (1, 1e-6).
constexpr double kTheta = 0.23670438066355548;

Shares FdaShares(int64_t periods, Norm norm) {
  return stream::SharesOf(*Structure::Fenwick(periods), norm);
}

TotalSpread FdaSpread(int64_t periods, Norm norm, const NoiseOf& noise) {
  return StructureSpread(*Structure::Fenwick(periods), FdaShares(periods, norm), noise);
}

TEST(StreamVarianceTest, IsTheReferenceWithLaplaceNoise) {
  struct Row {
    int64_t periods;
    double tree, honaker, fda, k_ary;
  };
  const Row rows[] = {
      {1023, 1000.9775171065494, 580.8531530017655, 435.50702766233553, 170.49853372434018},
      {16383, 2744.1674906915705, 1529.5434992961605, 1083.2056494867788, 431.72753242178905},
      {262143, 5832.02224739932, 3176.2961133176323, 2158.300031199855, 858.2518091270795}};
  const NoiseOf noise = LaplaceNoise(1);
  for (const Row& row : rows) {
    const int64_t n = row.periods;
    // A sum of as many rounded numbers.
    EXPECT_NEAR(NaiveRelease(n, noise).mean / (2.0 * n * n), 1, 1e-9);
    EXPECT_NEAR(BinaryTree(n, noise).mean / row.tree, 1, 1e-9);
    EXPECT_NEAR(HonakerTree(n, noise).mean / row.honaker, 1, 1e-9);
    EXPECT_NEAR(FdaSpread(n, Norm::kL1, noise).mean / row.fda, 1, 1e-9);
    // The reference has the same part of the budget on every level; ours is not worse, and hardly
    // better.
    const double k_ary = KarySpread(n, noise).mean;
    EXPECT_LE(k_ary, row.k_ary * (1 + 1e-12));
    EXPECT_GT(k_ary, row.k_ary * 0.97);
  }
  EXPECT_NEAR(FdaSpread(4095, Norm::kL1, noise).max / 1796.7781676137906, 1, 1e-9);
}

// A Fenwick tree as it is has the binary tree's totals.
TEST(StreamVarianceTest, OfAFenwickTreeIsThatOfTheBinaryTree) {
  const NoiseOf noise = LaplaceNoise(1);
  for (const int64_t periods : {1, 3, 24, 52, 365, 1000, 1024}) {
    const Structure tree = *Structure::Fenwick(periods);
    const TotalSpread fenwick = StructureSpread(tree, EqualShares(tree, Norm::kL1), noise);
    const TotalSpread binary = BinaryTree(periods, noise);
    EXPECT_NEAR(fenwick.mean / binary.mean, 1, 1e-12);
    EXPECT_NEAR(fenwick.max / binary.max, 1, 1e-12);
    EXPECT_NEAR(fenwick.share / binary.share, 1, 1e-12);
  }
}

// By hand, with epsilon 1: at 1, 2, 4 there are 1, 2, 3 noises of 8 each; between them, trees of
// one and of two levels, whose nodes have 8 and 32; in total(7) there are two of the latter.
TEST(StreamVarianceTest, OfAnUnboundedTree) {
  const NoiseOf noise = LaplaceNoise(1);
  const double of[] = {8, 16, 16 + 8, 24, 24 + 32, 24 + 32, 24 + 64, 32};
  double sum = 0, max = 0;
  for (int64_t periods = 1; periods <= 8; ++periods) {
    sum += of[periods - 1];
    max = std::max(max, of[periods - 1]);
    const TotalSpread spread = UnboundedTree(periods, noise);
    EXPECT_NEAR(spread.mean * static_cast<double>(periods), sum, 1e-9) << periods;
    EXPECT_NEAR(spread.max, max, 1e-9) << periods;
  }
}

TEST(StreamVarianceTest, IsTheReferenceWithDiscreteLaplaceNoise) {
  struct Row {
    int64_t periods;
    double fda_mean, fda_max, best_mean, best_max, plain_mean, plain_max;
  };
  const Row rows[] = {{24, 68.40344465837678, 108.34358007544868, 23.016839855194814,
                       44.19233252197403, 23.01683985519481, 44.19233252197404},
                      {52, 110.44514198155132, 191.84126617924477, 43.443670431260436,
                       70.01832822093371, 48.795700493012994, 95.7500537976104},
                      {365, 306.10694509893966, 653.0064228161984, 133.12926851112354,
                       195.53312818769032, 336.966535480052, 672.0917237716884}};
  const NoiseOf noise = DiscreteLaplaceNoise(1);
  for (const Row& row : rows) {
    const TotalSpread fda = FdaSpread(row.periods, Norm::kL1, noise);
    EXPECT_NEAR(fda.mean / row.fda_mean, 1, 1e-6);
    EXPECT_NEAR(fda.max / row.fda_max, 1, 1e-6);
    for (const bool best : {false, true}) {
      const Structure structure =
          best ? *Structure::Best(row.periods, Norm::kL1) : *Structure::Plain(row.periods);
      const TotalSpread found =
          StructureSpread(structure, stream::SharesOf(structure, Norm::kL1), noise);
      EXPECT_NEAR(found.mean / (best ? row.best_mean : row.plain_mean), 1, 1e-6);
      EXPECT_NEAR(found.max / (best ? row.best_max : row.plain_max), 1, 1e-6);
    }
  }
  // With shares by cube roots and real Laplace noise.
  const TotalSpread k_ary = KarySpread(365, LaplaceNoise(1));
  EXPECT_NEAR(k_ary.mean / 108.61944755724815, 1, 1e-9);
  EXPECT_NEAR(k_ary.max / 213.5137449353412, 1, 1e-9);
}

TEST(StreamVarianceTest, IsTheReferenceWithGaussianNoise) {
  struct Row {
    int64_t periods;
    double tree, fda, honaker, root_mean, root_max;
  };
  const Row rows[] = {{1023, 893.2679178472158, 562.3251090355826, 518.3507897926615,
                       172.56893522223044, 191.10784846613038},
                      {16383, 1749.202111180707, 1053.6871982273412, 974.9699051486504,
                       284.5480000273751, 308.149037376548},
                      {262143, 2891.372728015305, 1692.965364963738, 1574.7292394577162,
                       424.3349044815869, 452.954544940879}};
  const NoiseOf noise = GaussianNoise(kTheta);
  for (const Row& row : rows) {
    EXPECT_NEAR(BinaryTree(row.periods, noise).mean / row.tree, 1, 1e-6);
    EXPECT_NEAR(FdaSpread(row.periods, Norm::kL2, noise).mean / row.fda, 1, 1e-6);
    EXPECT_NEAR(HonakerTree(row.periods, noise).mean / row.honaker, 1, 1e-6);
    const TotalSpread root = SquareRootSpread(row.periods);
    EXPECT_NEAR(root.mean * noise(1) / row.root_mean, 1, 1e-6);
    EXPECT_NEAR(root.max * noise(1) / row.root_max, 1, 1e-6);
  }
}

TEST(BltTest, HasTheReferenceVariances) {
  struct Row {
    int64_t periods;
    stream::Blt blt;
    double max, mean;
  };
  const Row rows[] = {
      {1023,
       {{0.9087906508237662, 0.9981106437858549}, {0.31928948988281874, 0.06666043697319939}},
       11.085180285517314,
       9.86705927506186},
      {1023,
       {{0.5624191333461913, 0.9217727870326471, 0.9888826435695213, 0.9992278529307538},
        {0.23047206643424126, 0.16012711165275986, 0.06899310345684709, 0.037193402001491266}},
       10.710120632486182,
       9.670747255742564},
      {16383,
       {{0.9698309952859457, 0.999793507463867}, {0.24381324783861913, 0.024559331324195438}},
       19.617903922234277,
       17.587057539430614}};
  for (const Row& row : rows) {
    // The reference rounds in another way.
    const TotalSpread spread = BltSpread(row.blt, row.periods);
    EXPECT_NEAR(spread.max / row.max, 1, 1e-7);
    EXPECT_NEAR(spread.mean / row.mean, 1, 1e-7);
    // Both are local optima.
    const int buffers = static_cast<int>(row.blt.theta.size());
    EXPECT_LT(BltSpread(stream::SearchBlt(row.periods, buffers), row.periods).max / row.max, 1.02);
  }
}

// B C is the matrix of sums.
TEST(SquareRootTest, SquaredIsTheMatrixOfSums) {
  const std::vector<double> column = SquareRootColumn(40);
  for (size_t k = 0; k < column.size(); ++k) {
    double sum = 0;
    for (size_t j = 0; j <= k; ++j) sum += column[j] * column[k - j];
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(GeneralSharesTest, AgreeWithTheRecursionOfFda) {
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    for (const int64_t periods : {1, 2, 3, 5, 6, 7, 10, 15, 24, 31}) {
      const Structure tree = *Structure::Fenwick(periods);
      const Shares shares = FdaShares(periods, norm);
      const double error = stream::VariancesOf(tree, shares).mean * static_cast<double>(periods);
      const GeneralShares solved = SolveShares(tree, norm);
      EXPECT_LE(stream::LargestColumn(tree, shares), 1 + 1e-12);
      EXPECT_LE(stream::LargestColumn(tree, solved.shares), 1 + 1e-12);
      // No shares are better than the bound, so neither are the recursion's.
      EXPECT_LE(solved.bound, error * (1 + 1e-12)) << periods;
      EXPECT_NEAR(solved.error / error, 1, 1e-6) << periods;
      EXPECT_NEAR(solved.bound / error, 1, 1e-6) << periods;
    }
  }
}

TEST(GeneralSharesTest, AgreeWithTheSharesOfTheBestStructure) {
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    const Structure best = *Structure::Best(31, norm);
    const double error = stream::VariancesOf(best, stream::SharesOf(best, norm)).mean * 31;
    EXPECT_NEAR(SolveShares(best, norm).error / error, 1, 1e-6);
  }
}

// Honaker's tree, block by block: precision weights of a node and the sum of its two halves.
TEST(HonakerTreeTest, RunsHaveTheStatedVariance) {
  constexpr int64_t kPeriods = 7;
  constexpr int kRuns = 100000;
  // 1e-8 for each of two statements; kurtosis of a sum of Laplace variables is at most 6.
  constexpr double kSigmas = 5.73;
  const double scale = 3;  // three levels at epsilon 1
  std::vector<Moments> totals(kPeriods + 1);
  simulation::Generator random(11);
  for (int run = 0; run < kRuns; ++run) {
    std::vector<std::vector<double>> nodes(3), blocks(3);
    for (int level = 0; level < 3; ++level) {
      for (int64_t i = 0; i < (kPeriods + 1) >> level; ++i) {
        const double own = simulation::Laplace(scale, random);
        if (level == 0) {
          blocks[level].push_back(own);
          continue;
        }
        // v_1 = 2/3, v_2 = 4/7 of a node's own variance, the halves' sum has twice the lower one.
        const double halves = blocks[level - 1][2 * i] + blocks[level - 1][2 * i + 1];
        const double weight = level == 1 ? 2.0 / 3 : 4.0 / 7;
        blocks[level].push_back(weight * own + (1 - weight) * halves);
      }
    }
    for (int64_t t = 1; t <= kPeriods; ++t) {
      double total = 0;
      int64_t done = 0;
      for (int level = 2; level >= 0; --level) {
        if ((t >> level & 1) == 0) continue;
        total += blocks[level][done >> level];
        done += int64_t{1} << level;
      }
      totals[t].Add(total);
    }
  }
  SpreadSum sum;
  for (int64_t t = 1; t <= kPeriods; ++t) sum.Add(totals[t].variance());
  const TotalSpread stated = HonakerTree(kPeriods, LaplaceNoise(1));
  EXPECT_NEAR(sum.spread().mean / stated.mean, 1, kSigmas * std::sqrt(5.0 / kRuns));
  EXPECT_NEAR(sum.spread().max / stated.max, 1, kSigmas * std::sqrt(5.0 / kRuns));
}

}  // namespace
}  // namespace tombola::lab
