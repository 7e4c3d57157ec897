#include "collector/answer/independence.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tombola::collector {
namespace {

constexpr int64_t kRows = 5, kColumns = 4, kRecords = 20'000;

// A table of records drawn with these probabilities, each count off by normal noise.
std::vector<double> Draw(const std::vector<double>& probabilities, double variance,
                         std::mt19937_64& random) {
  std::vector<double> counts(probabilities.size());
  std::discrete_distribution<size_t> cell(probabilities.begin(), probabilities.end());
  for (int64_t i = 0; i < kRecords; ++i) counts[cell(random)] += 1;
  std::normal_distribution<double> noise(0, std::sqrt(variance));
  for (double& count : counts) count += variance > 0 ? noise(random) : 0;
  return counts;
}

std::vector<double> Independent() {
  const double rows[] = {0.4, 0.3, 0.2, 0.08, 0.02};
  const double columns[] = {0.55, 0.25, 0.15, 0.05};
  std::vector<double> table;
  for (const double row : rows) {
    for (const double column : columns) table.push_back(row * column);
  }
  return table;
}

// Without noise it is the usual test, whose statistic is the sum of (count - expected)^2 /
// expected.
TEST(TestIndependence, IsPearsonsWithoutNoise) {
  std::mt19937_64 random(1);
  const std::vector<double> counts = Draw(Independent(), 0, random);
  double pearson = 0;
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) {
      double row = 0, column = 0;
      for (int64_t k = 0; k < kColumns; ++k) row += counts[static_cast<size_t>(i * kColumns + k)];
      for (int64_t k = 0; k < kRows; ++k) column += counts[static_cast<size_t>(k * kColumns + j)];
      const double expected = row * column / static_cast<double>(kRecords);
      pearson += std::pow(counts[static_cast<size_t>(i * kColumns + j)] - expected, 2) / expected;
    }
  }
  const auto test = TestIndependence(counts, kRows, kColumns, 0);
  ASSERT_TRUE(test.has_value());
  EXPECT_NEAR(test->statistic / pearson, 1, 1e-9);
  EXPECT_EQ(test->degrees_of_freedom, 12);
}

// Of 12 degrees of freedom: the survival function of chi-square at 21.026069817483 is 0.05.
TEST(TestIndependence, ThePValueIsChiSquares) {
  std::mt19937_64 random(2);
  const auto test = TestIndependence(Draw(Independent(), 0, random), kRows, kColumns, 0);
  ASSERT_TRUE(test.has_value());
  double tail = 0;  // e^-x sum x^k / k!, exact for an even number of degrees of freedom
  double term = std::exp(-test->statistic / 2);
  for (int k = 0; k < 6; ++k) {
    tail += term;
    term *= test->statistic / 2 / (k + 1);
  }
  EXPECT_NEAR(test->p_value, tail, 1e-9);
}

// Of T = 2000 tables of independent attributes the p-values are uniform: by Dvoretzky, Kiefer,
// Wolfowitz and Massart their distribution function is off by more than 0.08 with a probability of
// 2 exp(-2 T 0.08^2) = 1.5e-11; half of that allows for how far the statistic is from chi-square.
TEST(TestIndependence, PValuesAreUniformWhateverTheNoise) {
  std::mt19937_64 random(3);
  for (const double variance : {0.0, 100.0, 10'000.0}) {
    std::vector<double> p_values;
    for (int i = 0; i < 2000; ++i) {
      const auto test =
          TestIndependence(Draw(Independent(), variance, random), kRows, kColumns, variance);
      ASSERT_TRUE(test.has_value());
      p_values.push_back(test->p_value);
    }
    std::sort(p_values.begin(), p_values.end());
    double off = 0;
    for (size_t i = 0; i < p_values.size(); ++i) {
      off = std::max(off, std::abs(p_values[i] - static_cast<double>(i) / 2000));
    }
    EXPECT_LT(off, 0.08) << variance;
  }
}

// A tenth of the records move from two cells to two others: 400 of 20,000 in a cell that is off by
// 30, so that the statistic is about 4 * 400^2 / (30^2 + 2000), over 200, where 13 are usual.
TEST(TestIndependence, FindsWhatDependsDespiteTheNoise) {
  std::mt19937_64 random(4);
  std::vector<double> table = Independent();
  table[0] += 0.02;
  table[1] -= 0.02;
  table[kColumns] -= 0.02;
  table[kColumns + 1] += 0.02;
  const auto test = TestIndependence(Draw(table, 900, random), kRows, kColumns, 900);
  ASSERT_TRUE(test.has_value());
  EXPECT_LT(test->p_value, 1e-9);
}

TEST(TestIndependence, SaysNothingOfNoiseAlone) {
  std::vector<double> counts(kRows * kColumns, 1.0);
  EXPECT_FALSE(TestIndependence(counts, kRows, kColumns, 100).has_value());
}

}  // namespace
}  // namespace tombola::collector
