// What is printed in the paper on FDA, and what is right: docs/errata.md, sections 21 to 23.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "gtest/gtest.h"
#include "lab/streams/general_shares.h"
#include "lab/streams/noise.h"
#include "lab/streams/trees.h"

namespace tombola::lab {
namespace {

using stream::Norm;
using stream::Shares;
using stream::Structure;

// From 1, as printed.
class Matrix {
 public:
  explicit Matrix(int64_t size) : size_(size), at_(static_cast<size_t>((size + 1) * (size + 1))) {}
  double& at(int64_t row, int64_t column) { return at_[row * (size_ + 1) + column]; }
  double at(int64_t row, int64_t column) const { return at_[row * (size_ + 1) + column]; }
  int64_t size() const { return size_; }

  Matrix Times(const Matrix& other) const {
    Matrix product(size_);
    for (int64_t i = 1; i <= size_; ++i) {
      for (int64_t j = 1; j <= size_; ++j) {
        for (int64_t k = 1; k <= size_; ++k) product.at(i, j) += at(i, k) * other.at(k, j);
      }
    }
    return product;
  }
  double SquaresOfColumn(int64_t column) const {
    double sum = 0;
    for (int64_t i = 1; i <= size_; ++i) sum += at(i, column) * at(i, column);
    return sum;
  }

 private:
  int64_t size_;
  std::vector<double> at_;
};

int64_t Lowbit(int64_t x) { return x & -x; }

bool IsMatrixOfSums(const Matrix& matrix) {
  for (int64_t i = 1; i <= matrix.size(); ++i) {
    for (int64_t j = 1; j <= matrix.size(); ++j) {
      if (matrix.at(i, j) != (j <= i ? 1 : 0)) return false;
    }
  }
  return true;
}

// Algorithm 5.2; its loop runs while pt < N, or with `all` while pt <= N.
Matrix StrategyOf(int64_t periods, bool all) {
  Matrix m(periods);
  for (int64_t p = 1; p <= periods; ++p) {
    for (int64_t pt = p; all ? pt <= periods : pt < periods; pt += Lowbit(pt)) m.at(pt, p) = 1;
  }
  return m;
}

// Algorithm 5.3; it sets B[pt, p], or if it is `turned` B[p, pt].
Matrix DecoderOf(int64_t periods, bool turned) {
  Matrix b(periods);
  for (int64_t p = 1; p <= periods; ++p) {
    for (int64_t pt = p; pt > 0; pt -= Lowbit(pt)) (turned ? b.at(p, pt) : b.at(pt, p)) = 1;
  }
  return b;
}

// "W_ij = 1, i < j".
TEST(FdaEquation54, IsTheOtherTriangle) {
  Matrix printed(5);
  for (int64_t i = 1; i <= 5; ++i) {
    for (int64_t j = i + 1; j <= 5; ++j) printed.at(i, j) = 1;
  }
  EXPECT_FALSE(IsMatrixOfSums(printed));
  Matrix right(5);
  for (int64_t i = 1; i <= 5; ++i) {
    for (int64_t j = 1; j <= i; ++j) right.at(i, j) = 1;
  }
  EXPECT_TRUE(IsMatrixOfSums(right));
}

TEST(FdaAlgorithm52, LosesTheLastNode) {
  for (const int64_t periods : {1, 4, 7, 10}) {
    const Matrix printed = StrategyOf(periods, false);
    for (int64_t j = 1; j <= periods; ++j) EXPECT_EQ(printed.at(periods, j), 0);
    EXPECT_FALSE(IsMatrixOfSums(DecoderOf(periods, true).Times(printed)));
    EXPECT_TRUE(IsMatrixOfSums(DecoderOf(periods, true).Times(StrategyOf(periods, true))));
  }
}

TEST(FdaAlgorithm53, TransposesTheDecoder) {
  for (const int64_t periods : {3, 7, 10}) {
    EXPECT_FALSE(IsMatrixOfSums(DecoderOf(periods, false).Times(StrategyOf(periods, true))));
  }
}

// The matrices are the structure and chains of common/stream.
TEST(FdaAlgorithms, AreTheFenwickTree) {
  const Structure tree = *Structure::Fenwick(10);
  const Matrix m = StrategyOf(10, true), b = DecoderOf(10, true);
  for (int64_t t = 1; t <= 10; ++t) {
    std::vector<int64_t> cover, chain;
    for (int64_t node = 1; node <= 10; ++node) {
      if (m.at(node, t) == 1) cover.push_back(node);
      if (b.at(t, node) == 1) chain.insert(chain.begin(), node);
    }
    EXPECT_EQ(tree.Cover(t), cover);
    EXPECT_EQ(tree.Chain(t), chain);
  }
}

// The proof says pt - lowbit(pt), which ends at once; the theorem is right.
TEST(FdaTheorem51, IsProvenByTheOtherSign) {
  int64_t steps = 0;
  for (int64_t pt = 1; pt > 0 && pt <= 1000; pt -= Lowbit(pt)) ++steps;
  EXPECT_EQ(steps, 1);
  for (const int64_t periods : {1, 7, 8, 365, 1000}) {
    const Structure tree = *Structure::Fenwick(periods);
    const int64_t levels = static_cast<int64_t>(std::log2(static_cast<double>(periods))) + 1;
    EXPECT_EQ(static_cast<int64_t>(tree.Cover(1).size()), levels);
    EXPECT_EQ(tree.Depth(), levels);
  }
}

// The upper left block is that of 2^(m-1) - 1 nodes; with as many as on the left it would not fit.
TEST(FdaEquation511, HasTheSmallerBlockTwice) {
  for (const Norm norm : {Norm::kL1, Norm::kL2}) {
    for (const int64_t half : {1, 3, 7, 15}) {
      const Shares small = stream::SharesOf(*Structure::Fenwick(half), norm);
      const Shares large = stream::SharesOf(*Structure::Fenwick(2 * half + 1), norm);
      const double alpha = 1 - large.of_node[half];
      for (int64_t i = 0; i < half; ++i) {
        EXPECT_NEAR(large.of_node[i], alpha * small.of_node[i], 1e-12);
        EXPECT_NEAR(large.of_node[half + 1 + i], small.of_node[i], 1e-12);
      }
    }
  }
}

// Part 3 of f is printed with column i; its own is 2^(m-1) + i, which happens to be as long.
TEST(FdaPartThree, NamesAColumnThatIsAsLong) {
  const Matrix b = DecoderOf(15, true);
  for (int64_t i = 1; i <= 7; ++i) {
    EXPECT_EQ(b.SquaresOfColumn(i), b.SquaresOfColumn(8 + i));
    bool same = true;
    for (int64_t row = 1; row <= 15; ++row) same = same && b.at(row, i) == b.at(row, 8 + i);
    EXPECT_FALSE(same);
  }
}

// h(alpha) = err / alpha^2 + w / (1 - alpha)^2 + err, of which the text gives no least.
TEST(FdaMinimiser, IsAtTheCubeRoots) {
  double error = 1;
  for (int64_t nodes = 1, weight = 2; nodes < 100; nodes = 2 * nodes + 1, weight *= 2) {
    double least = 1e300, at = 0;
    for (int step = 1; step < 100000; ++step) {
      const double alpha = step / 1e5;
      const double h = error / (alpha * alpha) +
                       static_cast<double>(weight) / ((1 - alpha) * (1 - alpha)) + error;
      if (h < least) {
        least = h;
        at = alpha;
      }
    }
    const Structure tree = *Structure::Fenwick(2 * nodes + 1);
    const Shares shares = stream::SharesOf(tree, Norm::kL1);
    EXPECT_NEAR(1 - shares.of_node[nodes], at, 2e-5);
    error = stream::VariancesOf(tree, shares).mean * static_cast<double>(2 * nodes + 1);
    EXPECT_NEAR(error / least, 1, 1e-8);
  }
}

// Only N = 2^m - 1 is treated; other N need no padding.
TEST(FdaSizes, AreNotOnlyPowersOfTwoLessOne) {
  for (const int64_t periods : {10, 20}) {
    const Structure tree = *Structure::Fenwick(periods);
    const Shares shares = stream::SharesOf(tree, Norm::kL1);
    const double error = stream::VariancesOf(tree, shares).mean * static_cast<double>(periods);
    EXPECT_NEAR(SolveShares(tree, Norm::kL1).bound / error, 1, 1e-6);
    // The first nodes of a tree of 31, which padding would have, serve totals that are never asked.
    const Shares padded = stream::SharesOf(*Structure::Fenwick(31), Norm::kL1);
    const Shares cut = {.norm = Norm::kL1,
                        .of_node = {padded.of_node.begin(), padded.of_node.begin() + periods}};
    EXPECT_GT(stream::VariancesOf(tree, cut).mean * static_cast<double>(periods), 1.05 * error);
  }
}

double SumOverThree(const Shares& shares) {
  return 3 * StructureSpread(*Structure::Fenwick(3), shares, LaplaceNoise(1)).mean;
}

// (5.2) and (5.9) are called a mean squared error, and are the sum over all totals.
TEST(FdaEquation52, IsATotal) {
  EXPECT_NEAR(SumOverThree({Norm::kL1, {0.5, 0.5, 0.5}}), 32, 1e-12);
  EXPECT_NEAR(SumOverThree({Norm::kL1, {0.5, 0.5, 1}}), 26, 1e-12);
  EXPECT_NEAR(SumOverThree(stream::SharesOf(*Structure::Fenwick(3), Norm::kL1)),
              2 * 12.541966305589222, 1e-9);
  EXPECT_NEAR(BinaryTree(3, LaplaceNoise(1)).mean, 32.0 / 3, 1e-12);
}

// "The error of the naive solution adds up linearly": if increments are summed; not if every total
// is released anew.
TEST(FdaIntroduction, HasTwoNaiveSolutions) {
  const NoiseOf noise = LaplaceNoise(1);
  for (const int64_t periods : {3, 24, 365}) {
    const Structure plain = *Structure::Plain(periods);
    const double n = static_cast<double>(periods);
    EXPECT_NEAR(StructureSpread(plain, stream::SharesOf(plain, Norm::kL1), noise).max, 2 * n, 1e-9);
    EXPECT_NEAR(NaiveRelease(periods, noise).max, 2 * n * n, 1e-6 * n * n);
  }
}

// The strategy is fixed before it is optimised: on three periods its optimum has twice the error of
// no tree at all, and it is behind until there are hundreds.
TEST(FdaStrategy, IsNotTheBestStructure) {
  const NoiseOf noise = LaplaceNoise(1);
  const auto mean = [&](const Structure& structure) {
    return StructureSpread(structure, stream::SharesOf(structure, Norm::kL1), noise).mean;
  };
  EXPECT_NEAR(3 * mean(*Structure::Plain(3)), 12, 1e-12);
  EXPECT_LT(mean(*Structure::Plain(295)), mean(*Structure::Fenwick(295)));
  EXPECT_GT(mean(*Structure::Plain(296)), mean(*Structure::Fenwick(296)));
  for (const int64_t periods : {24, 52, 365, 1000}) {
    const double ratio =
        mean(*Structure::Fenwick(periods)) / mean(*Structure::Best(periods, Norm::kL1));
    EXPECT_GT(ratio, 2);
    EXPECT_LT(ratio, 3.1);
  }
}

// One record of one period is what is hidden: a person with records in k periods changes up to k
// columns of the strategy.
TEST(FdaPrivacy, IsOfOneRecord) {
  const Structure tree = *Structure::Fenwick(7);
  const Shares shares = stream::SharesOf(tree, Norm::kL1);
  double both = 0;
  for (const int64_t period : {1, 5}) {
    for (const int64_t node : tree.Cover(period)) both += shares.of_node[node - 1];
  }
  EXPECT_NEAR(both, 2, 1e-12);
}

}  // namespace
}  // namespace tombola::lab
