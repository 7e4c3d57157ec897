#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/random/random_source.h"
#include "common/random/secure_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/scripted_random.h"
#include "tests/support/seeded_random.h"

namespace tombola {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kThird = 0x5555555555555555;  // (2^64 - 1) / 3
constexpr uint64_t kHalf = uint64_t{1} << 63;

double ChiSquare(absl::Span<const int64_t> counts, int64_t draws) {
  const double expected = static_cast<double>(draws) / counts.size();
  double sum = 0;
  for (const int64_t count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// P(X >= k + 2 sqrt(k t) + 2 t) <= exp(-t) for X chi-square with k degrees of freedom: Laurent and
// Massart 2000, Lemma 1. The tests below have thousands of draws a cell, so the statistic's own law
// is as good as chi-square.
double ChiSquareBound(size_t cells, double t) {
  const double k = static_cast<double>(cells - 1);
  return k + 2 * std::sqrt(k * t) + 2 * t;
}

TEST(UniformBelow, StaysBelowTheBound) {
  SeededRandom random(1);
  for (const uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7}, uint64_t{1000},
                               uint64_t{1} << 32, kHalf - 1, kHalf, kHalf + 1, kMax}) {
    for (int i = 0; i < 2000; ++i) ASSERT_LT(UniformBelow(bound, random), bound);
  }
}

TEST(UniformBelow, GivesEveryValueOfThreeTheSameNumberOfWords) {
  // 2^64 = 3 kThird + 1. The word 0 is rejected, the others fall into three intervals of kThird
  // words, one a value; these are their ends.
  const std::vector<std::pair<uint64_t, uint64_t>> ends = {
      {1, kThird}, {kThird + 1, 2 * kThird}, {2 * kThird + 1, kMax}};
  for (uint64_t value = 0; value < 3; ++value) {
    EXPECT_EQ(ends[value].second - ends[value].first + 1, kThird);
    for (const uint64_t word : {ends[value].first, ends[value].second}) {
      ScriptedRandom random({word});
      EXPECT_EQ(UniformBelow(3, random), value) << word;
    }
  }
}

TEST(UniformBelow, DrawsAgainWhereABlockIsNotFull) {
  ScriptedRandom zero({0, 0, 0, kMax});
  EXPECT_EQ(UniformBelow(3, zero), 2u);
  EXPECT_EQ(zero.drawn(), 4u);

  // Of 2^63 + 1 values the even words 2, 4, ... below 2^63 - 1 have low words below
  // 2^64 mod bound = 2^63 - 1; an odd word 2 i + 1 is accepted and gives i.
  ScriptedRandom half({2, 4, kHalf - 4, 3});
  EXPECT_EQ(UniformBelow(kHalf + 1, half), 1u);
  EXPECT_EQ(half.drawn(), 4u);
}

TEST(UniformBelow, NeverRejectsForAPowerOfTwo) {
  for (const uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{256}, kHalf}) {
    for (const uint64_t word : {uint64_t{0}, uint64_t{1}, kHalf, kMax}) {
      ScriptedRandom random({word});
      const uint64_t expected =
          static_cast<uint64_t>((static_cast<__uint128_t>(word) * bound) >> 64);
      EXPECT_EQ(UniformBelow(bound, random), expected);
      EXPECT_EQ(random.drawn(), 1u);
    }
  }
}

TEST(UniformBelow, PassesAChiSquareTestForSmallBounds) {
  // 8 bounds at t = 20: a false failure has probability at most 8 exp(-20) < 2e-8 over the choice
  // of the seed.
  SeededRandom random(20240501);
  constexpr int64_t kDraws = 400'000;
  for (const uint64_t bound : {2, 3, 5, 6, 7, 10, 64, 100}) {
    std::vector<int64_t> counts(bound, 0);
    for (int64_t i = 0; i < kDraws; ++i) ++counts[UniformBelow(bound, random)];
    EXPECT_LT(ChiSquare(counts, kDraws), ChiSquareBound(bound, 20)) << bound;
  }
}

TEST(UniformBelow, PassesAChiSquareTestWhereHalfOfTheWordsAreRejected) {
  // Two tests, on the low and on the high bits, each with a false-failure probability of at most
  // exp(-20) over the choice of the seed.
  SeededRandom random(20240502);
  constexpr int64_t kDraws = 200'000;
  std::vector<int64_t> low(16, 0), high(16, 0);
  for (int64_t i = 0; i < kDraws; ++i) {
    const uint64_t value = UniformBelow(kHalf + 1, random);
    ASSERT_LE(value, kHalf);
    ++low[value % 16];
    ++high[value == kHalf ? 15 : value >> 59];
  }
  EXPECT_LT(ChiSquare(low, kDraws), ChiSquareBound(16, 20));
  EXPECT_LT(ChiSquare(high, kDraws), ChiSquareBound(16, 20));
  // A word is accepted with probability (2^63 + 1) / 2^64: the draws' number has mean 2 kDraws and
  // standard deviation sqrt(2 kDraws) = 632; 7 of them are exceeded with probability below 1e-11.
  EXPECT_NEAR(static_cast<double>(random.draws()), 2.0 * kDraws, 7 * std::sqrt(2.0 * kDraws));
}

TEST(UniformBelowDeathTest, RefusesAnEmptyRange) {
  SeededRandom random(1);
  EXPECT_DEATH(UniformBelow(0, random), "bound >= 1");
}

TEST(BernoulliBelow, IsTrueForExactlyThresholdWords) {
  for (const uint64_t threshold : {uint64_t{1}, uint64_t{2}, kThird, kHalf, kMax}) {
    ScriptedRandom random({0, threshold - 1, threshold, kMax});
    EXPECT_TRUE(BernoulliBelow(threshold, random));
    EXPECT_TRUE(BernoulliBelow(threshold, random));
    EXPECT_FALSE(BernoulliBelow(threshold, random));
    EXPECT_FALSE(BernoulliBelow(threshold, random));
    EXPECT_EQ(random.drawn(), 4u);
  }
}

TEST(BernoulliBelow, IsNeverTrueForZero) {
  ScriptedRandom random({0, 1, kMax});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(BernoulliBelow(0, random));
}

TEST(SecureRandom, TwoSourcesDiffer) {
  // Two equal words: probability 2^-64.
  SecureRandom first, second;
  EXPECT_NE(first.Next64(), second.Next64());
}

TEST(SecureRandom, NeverRepeatsAWordAcrossBlocks) {
  // 50,000 words span 97 blocks. A birthday collision: probability below 50,000^2 / 2^65 < 1e-10.
  SecureRandom random;
  std::vector<uint64_t> words(50'000);
  for (uint64_t& word : words) word = random.Next64();
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
}

TEST(SecureRandom, FillsEveryByteAndNoOther) {
  SecureRandom random;
  for (const size_t size : {0, 1, 7, 8, 32, 1023, 1024, 1025, 4096, 10'000}) {
    std::vector<uint8_t> buffer(size + 2, 0);
    std::vector<uint8_t> touched(size, 0);
    // A byte that is zero 32 times: probability 2^-256.
    for (int i = 0; i < 32; ++i) {
      random.Fill(absl::MakeSpan(buffer).subspan(1, size));
      for (size_t j = 0; j < size; ++j) touched[j] |= buffer[j + 1];
    }
    EXPECT_THAT(touched, ::testing::Each(::testing::Ne(0)));
    EXPECT_EQ(buffer.front(), 0);
    EXPECT_EQ(buffer.back(), 0);
  }
}

TEST(SecureRandom, PassesAChiSquareTestOnBytes) {
  // This source has no seed: t = 30 makes a false failure rarer than 2 exp(-30) < 2e-13 a run.
  SecureRandom random;
  constexpr int64_t kWords = 1 << 17;
  std::vector<int64_t> from_words(256, 0), from_fill(256, 0);
  std::array<uint8_t, 8> chunk;
  for (int64_t i = 0; i < kWords; ++i) {
    for (uint64_t word = random.Next64(), j = 0; j < 8; ++j, word >>= 8) ++from_words[word & 255];
    random.Fill(absl::MakeSpan(chunk));
    for (const uint8_t byte : chunk) ++from_fill[byte];
  }
  EXPECT_LT(ChiSquare(from_words, 8 * kWords), ChiSquareBound(256, 30));
  EXPECT_LT(ChiSquare(from_fill, 8 * kWords), ChiSquareBound(256, 30));
}

// What a forked child draws from `random`, as the parent reads it from a pipe.
uint64_t DrawInChild(SecureRandom& random) {
  int ends[2];
  TOMBOLA_CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  TOMBOLA_CHECK(child >= 0);
  if (child == 0) {
    const uint64_t word = random.Next64();
    _exit(write(ends[1], &word, sizeof(word)) == sizeof(word) ? 0 : 1);
  }
  close(ends[1]);
  uint64_t word = 0;
  TOMBOLA_CHECK(read(ends[0], &word, sizeof(word)) == sizeof(word));
  close(ends[0]);
  int status = 0;
  TOMBOLA_CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  TOMBOLA_CHECK(WEXITSTATUS(status) == 0);
  return word;
}

TEST(SecureRandom, ForksShareNoBits) {
  // The first word fills the block that parent and children would otherwise all read on from.
  // Three words, two of them equal: probability below 2^-62.
  SecureRandom random;
  random.Next64();
  const uint64_t first_child = DrawInChild(random);
  const uint64_t second_child = DrawInChild(random);
  const uint64_t parent = random.Next64();
  EXPECT_NE(first_child, parent);
  EXPECT_NE(second_child, parent);
  EXPECT_NE(first_child, second_child);
}

}  // namespace
}  // namespace tombola
