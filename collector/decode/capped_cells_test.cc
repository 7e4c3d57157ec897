#include "collector/decode/capped_cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using strings::Shape;

Shape SmallShape() { return *Shape::Create({.symbols = 3, .length = 4, .step = 2, .range = 64}); }

// A count for each of `cells` cells of level 1, spread over functions and buckets.
StringCounts Spread(const std::vector<int64_t>& of_cells) {
  std::vector<CellCount> cells;
  const uint64_t base = 256 * 64;
  for (size_t i = 0; i < of_cells.size(); ++i) cells.push_back({base + 13 * i, of_cells[i]});
  return *StringCounts::FromCells(SmallShape(), std::move(cells));
}

TEST(CapForTest, IsOneWhereReportsAreFew) {
  // 3 % of 16,384 cells are 491.5 reports.
  std::vector<int64_t> cells(90, 5);
  cells.push_back(41);
  EXPECT_EQ(CapFor(CellHistogram(Spread(cells), 1), 1e6, 0.05), 1);
  EXPECT_EQ(CapFor(CellHistogram(Spread(cells), 0), 1e6, 0.05), 1);
}

// By trying all caps: the threshold, less what is there by chance, over the share of cells that are
// not full.
TEST(CapForTest, NeedsTheFewestHolders) {
  SeededRandom random(8);
  for (const double load : {0.05, 0.5, 2.0, 8.0}) {
    std::vector<CellCount> all;
    for (uint64_t cell = 0; cell < 256 * 64; ++cell) {
      int64_t count = 0;
      for (int i = 0; i < 32; ++i) {
        count += static_cast<double>(random.Next64() >> 11) * 0x1p-53 < load / 32;
      }
      // One bucket of each row is a string's that many hold.
      if (cell % 64 == cell / 64 % 64) count += 30;
      if (count > 0) all.push_back({cell, count});
    }
    const auto counts = StringCounts::FromCells(SmallShape(), all);
    const CellHistogram cells(*counts, 0);
    const auto holders = [&](int64_t cap) {
      NullLaw law;
      law.Add(cells, cap);
      double full = 0;
      for (int64_t j = 0; j < 256; ++j) full += static_cast<double>(cells.Holding(j, cap, cap));
      return (static_cast<double>(law.Threshold(1e6, 0.05)) - law.mean()) / (1 - full / 256 / 64);
    };
    const int64_t cap = CapFor(cells, 1e6, 0.05);
    for (const int64_t other : {1, 2, 4, 8, 16, 32}) {
      EXPECT_LE(holders(cap), holders(other)) << load << " " << other;
    }
    // More reports, more of them to be told apart; never all of what many hold.
    EXPECT_LT(cap, 30) << load;
    if (load > 1) {
      EXPECT_GT(cap, 1) << load;
    }
  }
}

TEST(CappedCellsTest, HoldCountsUpToTheCap) {
  const StringCounts counts = Spread({1, 2, 3, 4, 300});
  const CellHistogram histogram(counts, 1);
  EXPECT_NEAR(histogram.load(), 310.0 / 16384, 1e-12);
  for (const int64_t cap : {1, 2, 3, 5, 15, 16, 32}) {
    const CappedCells cells(counts, 1, cap);
    const CellRows rows = cells.rows();
    int64_t all = 0;
    for (const CellCount& cell : counts.cells()) {
      const uint64_t at = cell.cell - counts.Base(1);
      const uint64_t bit = at % 64 << rows.cell_bits_log;
      const uint32_t mask = (1u << (1u << rows.cell_bits_log)) - 1;
      EXPECT_EQ(rows.Row(at / 64)[bit / 32] >> bit % 32 & mask, std::min(cell.count, cap)) << cap;
    }
    for (int64_t j = 0; j < strings::kFunctions; ++j) {
      for (int64_t value = 0; value <= cap; ++value) all += histogram.Holding(j, value, cap);
    }
    EXPECT_EQ(all, 256 * 64);
    // The first five cells are in row 0.
    EXPECT_EQ(histogram.Holding(0, 0, cap), 64 - 5);
    EXPECT_EQ(histogram.Holding(0, cap, cap), cap == 1 ? 5 : cap == 2 ? 4 : cap == 3 ? 3 : 1);
  }
}

// All buckets of the two rows that hold something.
TEST(NullLawTest, IsTheConvolutionOfTheRows) {
  std::vector<CellCount> cells;
  for (uint64_t b = 0; b < 20; ++b) cells.push_back({b, static_cast<int64_t>(b / 8 + 1)});
  for (uint64_t b = 0; b < 5; ++b) cells.push_back({200 * 64 + 7 * b, 2});
  const auto counts = StringCounts::FromCells(SmallShape(), cells);
  ASSERT_TRUE(counts.ok()) << counts.status();
  NullLaw law;
  law.Add(CellHistogram(*counts, 0), 2);
  std::vector<double> expected(5, 0.0);
  for (int a = 0; a < 64; ++a) {
    for (int b = 0; b < 64; ++b) {
      const int in_first = a < 8 ? 1 : a < 20 ? 2 : 0;
      const int in_second = b < 5 ? 2 : 0;
      expected[static_cast<size_t>(in_first + in_second)] += 1.0 / 4096;
    }
  }
  double tail = 0;
  for (int64_t s = 4; s >= 0; --s) {
    tail += expected[static_cast<size_t>(s)];
    EXPECT_NEAR(law.Tail(s), tail, 1e-14) << s;
  }
  EXPECT_NEAR(law.mean(), (8 + 24) / 64.0 + 10 / 64.0, 1e-13);
  // Pr[S >= 4] = 12 * 5 / 4096.
  EXPECT_EQ(law.Threshold(1, 60.0 / 4096), 4);
  EXPECT_EQ(law.Threshold(1, 59.9 / 4096), 5);
  EXPECT_EQ(law.Threshold(10, 60.0 / 4096), 5);
}

TEST(NullLawTest, OfSeveralLevelsIsThatOfTheSum) {
  std::vector<CellCount> cells;
  for (uint64_t i = 0; i < 2000; ++i) cells.push_back({i * 16, 1});
  const auto counts = StringCounts::FromCells(SmallShape(), cells);
  NullLaw both;
  both.Add(CellHistogram(*counts, 0), 1);
  const double first = both.mean();
  both.Add(CellHistogram(*counts, 1), 1);
  EXPECT_NEAR(first, 1024 / 64.0, 1e-9);
  EXPECT_NEAR(both.mean(), 2000 / 64.0, 1e-9);
}

TEST(NullLawTest, KeepsItsDigitsInTheTail) {
  // One cell of 64 in every row: a binomial of 256 coins.
  std::vector<CellCount> cells;
  for (uint64_t j = 0; j < 256; ++j) cells.push_back({j * 64 + j % 64, 1});
  const auto counts = StringCounts::FromCells(SmallShape(), cells);
  NullLaw law;
  law.Add(CellHistogram(*counts, 0), 1);
  const double all = std::pow(1.0 / 64, 150);
  const double pmf = all * std::pow(63.0 / 64, 106) *
                     std::exp(std::lgamma(257) - std::lgamma(151) - std::lgamma(107));
  EXPECT_NEAR((law.Tail(150) - law.Tail(151)) / pmf, 1, 1e-9);
}

TEST(DropBelowTest, LosesOneInTwoHundredAtTheThreshold) {
  EXPECT_EQ(DropBelow(21, 1), 3);  // Pr[Bin(21, 3/8) <= 2] = 0.0046
  EXPECT_EQ(DropBelow(22, 1), 3);
  EXPECT_EQ(DropBelow(1, 1), 0);
  EXPECT_EQ(DropBelow(42, 2), 3);
  EXPECT_EQ(DropBelow(46, 1), 9);
}

}  // namespace
}  // namespace tombola::collector
