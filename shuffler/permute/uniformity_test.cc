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
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "shuffler/permute/block_permute.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/permute.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/permute/test_memory_blocks.h"
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

// As many parts as sources, in blocks of about one record. One thread does what several would: they
// do not change the outcome, as block_permute_test.cc shows.
Shuffle InParts(size_t parts, size_t most_blocks) {
  auto owned = std::make_shared<std::vector<SeededRandom>>();
  for (size_t i = 0; i < parts; ++i) owned->emplace_back(2000 + i);
  return [=](std::vector<uint8_t>& labels, RandomSource&) {
    std::vector<RandomSource*> sources;
    for (SeededRandom& source : *owned) sources.push_back(&source);
    const std::vector<uint8_t> from = labels;
    PermuteInto(
        from, absl::MakeSpan(labels), 1, sources,
        {.block_bytes = 1, .most_blocks = most_blocks, .least_bytes = 0, .most_threads = 1});
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
TEST(UniformityTest, InOnePartOverAllOutcomes) { ExpectUniform(InParts(1, 4)); }
TEST(UniformityTest, InTwoPartsOverAllOutcomes) { ExpectUniform(InParts(2, 2)); }
TEST(UniformityTest, InTwoPartsAndManyBlocksOverAllOutcomes) { ExpectUniform(InParts(2, 16)); }
TEST(UniformityTest, InMorePartsThanRecordsOverAllOutcomes) { ExpectUniform(InParts(7, 4)); }

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
template <typename Record, typename ShuffleRecords>
void ExpectEveryPair(const ShuffleRecords& shuffle) {
  constexpr size_t kRecords = 1000;
  constexpr int kRuns = 30000;
  std::vector<Record> order(kRecords);
  std::vector<int32_t> counts(kRecords * kRecords);
  for (int run = 0; run < kRuns; ++run) {
    std::iota(order.begin(), order.end(), Record{0});
    shuffle(order);
    for (size_t place = 0; place < kRecords; ++place) {
      ++counts[place * kRecords + static_cast<size_t>(order[place])];
    }
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

template <typename Record>
absl::Span<uint8_t> Flat(std::vector<Record>& records) {
  return absl::MakeSpan(reinterpret_cast<uint8_t*>(records.data()),
                        records.size() * sizeof(Record));
}

TEST(UniformityTest, EveryPairOfRecordAndPlace) {
  SeededRandom random(77);
  ExpectEveryPair<uint16_t>(
      [&](std::vector<uint16_t>& order) { Permute(Flat(order), sizeof(uint16_t), random); });
}

// Records of 16 bytes, which are laid down by lines, in 32 blocks and from three parts.
TEST(UniformityTest, EveryPairOfRecordAndPlaceInParts) {
  SeededRandom first(78), second(79), third(80);
  const std::vector<RandomSource*> sources = {&first, &second, &third};
  PageBuffer to(1000 * sizeof(__uint128_t));
  ExpectEveryPair<__uint128_t>([&](std::vector<__uint128_t>& order) {
    PermuteInto(Flat(order), to.bytes(), sizeof(__uint128_t), sources,
                {.block_bytes = 1000, .least_bytes = 0, .most_threads = 1});
    std::copy(to.bytes().begin(), to.bytes().end(), Flat(order).begin());
  });
}

}  // namespace
}  // namespace tombola::shuffler
