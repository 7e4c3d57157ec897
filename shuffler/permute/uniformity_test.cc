// The order is uniform: over all n! outcomes where they can be counted, over all pairs of record
// and place where they cannot.
//
// Thresholds. For X chi-square distributed with d degrees of freedom, Laurent and Massart (2000,
// Lemma 1) give Pr[X >= d + 2 sqrt(d x) + 2 x] <= e^-x and Pr[X <= d - 2 sqrt(d x)] <= e^-x. With
// x = 21 a right implementation fails one comparison with probability below 1e-9 (up to the
// chi-square approximation, good here because every cell expects 30 or more), all of this file
// with less than 1e-6; and the seeds are fixed.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "shuffler/permute/memory_blocks.h"
#include "shuffler/permute/permute.h"
#include "shuffler/permute/scatter.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

constexpr double kX = 21;

double UpperBound(double freedom) { return freedom + 2 * std::sqrt(freedom * kX) + 2 * kX; }
double LowerBound(double freedom) { return freedom - 2 * std::sqrt(freedom * kX); }

using Shuffle = std::function<void(std::vector<uint8_t>&, RandomSource&)>;

// The chi-square statistic of `runs` shuffles of n labels against the uniform law on n! outcomes.
double StatisticOverOutcomes(size_t n, int64_t outcomes, int64_t runs, const Shuffle& shuffle) {
  SeededRandom random(1000 + n);
  std::map<std::string, int64_t> counts;
  for (int64_t run = 0; run < runs; ++run) {
    std::vector<uint8_t> labels(n);
    std::iota(labels.begin(), labels.end(), uint8_t{0});
    shuffle(labels, random);
    ++counts[std::string(labels.begin(), labels.end())];
  }
  const double expected = static_cast<double>(runs) / static_cast<double>(outcomes);
  double statistic = expected * static_cast<double>(outcomes - static_cast<int64_t>(counts.size()));
  for (const auto& [outcome, count] : counts) {
    statistic += (count - expected) * (count - expected) / expected;
  }
  return statistic;
}

void InMemory(std::vector<uint8_t>& labels, RandomSource& random) {
  Permute(absl::MakeSpan(labels), 1, random);
}

Shuffle InBlocks(size_t block_count) {
  return [block_count](std::vector<uint8_t>& labels, RandomSource& random) {
    MemoryBlocks blocks(block_count);
    Scatter scatter(1, blocks, random);
    ASSERT_TRUE(scatter.Add(labels).ok());
    labels.clear();
    ASSERT_TRUE(scatter
                    .Finish([&](absl::Span<const uint8_t> records) {
                      labels.insert(labels.end(), records.begin(), records.end());
                      return absl::OkStatus();
                    })
                    .ok());
  };
}

void ExpectUniform(const Shuffle& shuffle) {
  int64_t outcomes = 2;
  for (size_t n = 3; n <= 6; ++n) {
    outcomes *= static_cast<int64_t>(n);
    const double statistic = StatisticOverOutcomes(n, outcomes, 100000, shuffle);
    EXPECT_LE(statistic, UpperBound(static_cast<double>(outcomes - 1))) << "n = " << n;
  }
}

TEST(UniformityTest, InMemoryOverAllOutcomes) { ExpectUniform(InMemory); }
TEST(UniformityTest, InTwoBlocksOverAllOutcomes) { ExpectUniform(InBlocks(2)); }
TEST(UniformityTest, InThreeBlocksOverAllOutcomes) { ExpectUniform(InBlocks(3)); }

// The comparisons above have power: the well-known wrong shuffle, digits from {0..n-1}, has
// cells of 4/27 and 5/27 at n = 3 and so a statistic near 100000 / 81 = 1235 against a bound of 68.
TEST(UniformityTest, TheComparisonRefusesTheNaiveShuffle) {
  const Shuffle naive = [](std::vector<uint8_t>& labels, RandomSource& random) {
    for (uint8_t& label : labels) std::swap(label, labels[UniformBelow(labels.size(), random)]);
  };
  EXPECT_GT(StatisticOverOutcomes(3, 6, 100000, naive), UpperBound(5));
}

// How often record v ends at place p, over 30,000 shuffles of 1,000 records: a matrix of counts
// with rows and columns of fixed sums. n/(n-1) times a chi-square variable with (n-1)^2 degrees of
// freedom is the limit law of the statistic.
TEST(UniformityTest, EveryPairOfRecordAndPlace) {
  constexpr size_t kRecords = 1000;
  constexpr int kRuns = 30000;
  SeededRandom random(77);
  std::vector<uint16_t> order(kRecords);
  std::vector<int32_t> counts(kRecords * kRecords);
  for (int run = 0; run < kRuns; ++run) {
    std::iota(order.begin(), order.end(), uint16_t{0});
    Permute(absl::MakeSpan(reinterpret_cast<uint8_t*>(order.data()), 2 * kRecords), 2, random);
    for (size_t place = 0; place < kRecords; ++place) ++counts[place * kRecords + order[place]];
  }
  const double expected = static_cast<double>(kRuns) / kRecords;
  double statistic = 0;
  for (const int32_t count : counts) {
    statistic += (count - expected) * (count - expected) / expected;
  }
  const double scale = static_cast<double>(kRecords) / (kRecords - 1);
  const double freedom = static_cast<double>(kRecords - 1) * (kRecords - 1);
  EXPECT_LE(statistic, scale * UpperBound(freedom));
  EXPECT_GE(statistic, scale * LowerBound(freedom));
  // And no single pair stands out. By Bernstein's inequality a Binomial(30000, 0.001) count is 60
  // or more above its mean of 30 with probability at most exp(-60^2 / (2 (30 + 60 / 3))) < 3e-16,
  // one of the 1e6 counts with probability below 1e-9; and it is 0 with probability at most e^-30,
  // one of them with probability below 1e-7.
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  EXPECT_GT(*least, 0);
  EXPECT_LT(*most, 90);
}

}  // namespace
}  // namespace tombola::shuffler
