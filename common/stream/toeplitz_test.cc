#include "common/stream/toeplitz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::stream {
namespace {

// C B = W: every coefficient of the product of the two columns is 1.
void ExpectFactorsOfTotals(const std::vector<double>& c, const std::vector<double>& b) {
  for (size_t k = 0; k < c.size(); ++k) {
    double sum = 0;
    for (size_t j = 0; j <= k; ++j) sum += c[j] * b[k - j];
    EXPECT_NEAR(sum, 1, 1e-9) << k;
  }
}

TEST(SquareRootTest, ColumnIsThatOfTheReferenceOnTheGrid) {
  const std::vector<int64_t> column = SquareRootColumn(6);
  std::vector<double> c;
  for (const int64_t value : column) c.push_back(std::ldexp(static_cast<double>(value), -12));
  EXPECT_THAT(c, ::testing::ElementsAre(1.0, 0.5, 0.375, 0.3125, 0.2734375, 0.24609375));
}

TEST(SquareRootTest, ColumnsAreFactorsOfTotals) {
  const std::vector<int64_t> column = SquareRootColumn(1000);
  std::vector<double> c;
  for (const int64_t value : column) c.push_back(std::ldexp(static_cast<double>(value), -12));
  ExpectFactorsOfTotals(c, TotalsColumn(column));
}

std::vector<double> ColumnOf(const Blt& blt, int64_t periods) {
  std::vector<double> column = {1};
  for (int64_t k = 1; k < periods; ++k) {
    double c = 0;
    for (size_t i = 0; i < blt.theta.size(); ++i) {
      c += blt.omega[i] * std::pow(blt.theta[i], static_cast<double>(k - 1));
    }
    column.push_back(c);
  }
  return column;
}

TEST(BltTest, ColumnsAreFactorsOfTotals) {
  for (const int buffers : {1, 3, 5}) {
    const Blt blt = SearchBlt(365, buffers);
    std::vector<double> b;
    BltWalk walk(TotalsOf(blt));
    for (int k = 0; k < 365; ++k) b.push_back(walk.Next());
    ExpectFactorsOfTotals(ColumnOf(blt, 365), b);
  }
}

TEST(BltTest, SumsOfSquaresAreThoseOfTheColumns) {
  const Blt blt = SearchBlt(200, 4);
  for (const double slack : {0.0, 0.01}) {
    double squares = 0;
    for (const double c : ColumnOf(blt, 200)) squares += (c + slack) * (c + slack);
    EXPECT_NEAR(SquaredColumn(blt, 200, slack) / squares, 1, 1e-9);
  }
  double squares = 0;
  BltWalk walk(TotalsOf(blt));
  for (int k = 0; k < 200; ++k) {
    const double b = walk.Next();
    squares += b * b;
  }
  EXPECT_NEAR(SquaredTotals(TotalsOf(blt), 200) / squares, 1, 1e-9);
}

TEST(BltTest, CoefficientsAreOnTheirGrid) {
  const Blt blt = SearchBlt(1000, 3);
  for (const auto& numbers : {blt.theta, blt.omega}) {
    for (const double number : numbers) {
      const double steps = std::ldexp(number, kBltBits);
      EXPECT_EQ(steps, std::round(steps));
      EXPECT_GT(number, 0);
    }
  }
}

// The largest variances of the reference's search, in units of the noise's.
TEST(BltTest, IsAsGoodAsTheReference) {
  const auto largest = [](int64_t periods, int buffers) {
    const Blt blt = SearchBlt(periods, buffers);
    return SquaredColumn(blt, periods, 0) * SquaredTotals(TotalsOf(blt), periods);
  };
  EXPECT_LE(largest(1023, 2), 11.085180285517314 * 1.0001);
  EXPECT_LE(largest(1023, 4), 10.710120632486182 * 1.0001);
  EXPECT_LE(largest(16383, 2), 19.617903922234277 * 1.0001);
  EXPECT_LE(largest(int64_t{1} << 20, 5), 31);
}

}  // namespace
}  // namespace tombola::stream
