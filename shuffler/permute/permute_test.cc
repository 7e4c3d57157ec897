#include "shuffler/permute/permute.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;

std::vector<uint8_t> Labels(size_t n) {
  std::vector<uint8_t> labels(n);
  std::iota(labels.begin(), labels.end(), uint8_t{0});
  return labels;
}

// n records of the given size, every byte different from its neighbours' at the same place.
std::vector<uint8_t> Records(size_t n, size_t record_bytes) {
  std::vector<uint8_t> records(n * record_bytes);
  for (size_t i = 0; i < n; ++i) {
    for (size_t b = 0; b < record_bytes; ++b) {
      records[i * record_bytes + b] = static_cast<uint8_t>((i >> (8 * (b % 4))) + 31 * b);
    }
  }
  return records;
}

// What permute.h defines, in as many words: digits[i] in {0..i}, one a record.
void PermuteByDigits(absl::Span<uint8_t> records, size_t record_bytes,
                     absl::Span<const uint64_t> digits) {
  for (size_t i = 1; i < digits.size(); ++i) {
    if (digits[i] == i) continue;
    const auto target = records.subspan(digits[i] * record_bytes, record_bytes);
    const auto own = records.subspan(i * record_bytes, record_bytes);
    std::swap_ranges(own.begin(), own.end(), target.begin());
  }
}

TEST(PermuteByDigitsTest, MatchesVectorsWorkedOutByHand) {
  std::vector<uint8_t> all_to_front = Labels(6);
  PermuteByDigits(absl::MakeSpan(all_to_front), 1, {0, 0, 0, 0, 0, 0});
  EXPECT_THAT(all_to_front, ElementsAre(5, 0, 1, 2, 3, 4));

  std::vector<uint8_t> mixed = Labels(6);
  PermuteByDigits(absl::MakeSpan(mixed), 1, {0, 1, 0, 2, 4, 3});
  EXPECT_THAT(mixed, ElementsAre(2, 1, 3, 5, 4, 0));
}

TEST(PermuteByDigitsTest, LargestDigitsLeaveTheOrder) {
  std::vector<uint8_t> records = Labels(5);
  PermuteByDigits(absl::MakeSpan(records), 1, {0, 1, 2, 3, 4});
  EXPECT_THAT(records, ElementsAre(0, 1, 2, 3, 4));
}

TEST(PermuteByDigitsTest, DifferentDigitsGiveDifferentPermutations) {
  std::set<std::string> outcomes;
  for (uint64_t number = 0; number < 120; ++number) {
    const std::vector<uint64_t> digits = {0, number % 2, number / 2 % 3, number / 6 % 4,
                                          number / 24};
    std::vector<uint8_t> records = Labels(5);
    PermuteByDigits(absl::MakeSpan(records), 1, digits);
    outcomes.emplace(records.begin(), records.end());
  }
  EXPECT_EQ(outcomes.size(), 120u);
}

TEST(PermuteTest, NothingAndOneRecordNeedNoDraw) {
  SeededRandom random(1);
  std::vector<uint8_t> none;
  EXPECT_EQ(Permute(absl::MakeSpan(none), 7, random).draws, 0);
  std::vector<uint8_t> one = Labels(7);
  EXPECT_EQ(Permute(absl::MakeSpan(one), 7, random).draws, 0);
  EXPECT_EQ(one, Labels(7));
  EXPECT_EQ(random.draws(), 0);
}

// Digits are drawn ahead of their use: that must not change which digit goes with which step.
TEST(PermuteTest, AppliesTheDigitsInTheOrderOfTheDraws) {
  for (const size_t n : {2, 3, 31, 32, 33, 34, 65, 1000}) {
    for (const size_t record_bytes : {1, 4, 15, 16, 17, 58, 71}) {
      SeededRandom digits_source(n), permute_source(n);
      std::vector<uint64_t> digits = {0};
      for (size_t i = 1; i < n; ++i) digits.push_back(UniformBelow(i + 1, digits_source));
      std::vector<uint8_t> expected = Records(n, record_bytes), actual = expected;
      PermuteByDigits(absl::MakeSpan(expected), record_bytes, digits);
      Permute(absl::MakeSpan(actual), record_bytes, permute_source);
      EXPECT_EQ(actual, expected) << n << " records of " << record_bytes;
    }
  }
}

// Words of zero come in the block, words of ones after it.
class ZerosThenOnes final : public RandomSource {
 public:
  uint64_t Next64() override {
    ++singles;
    return ~uint64_t{0};
  }
  void Fill(absl::Span<uint8_t> out) override { std::fill(out.begin(), out.end(), uint8_t{0}); }
  int singles = 0;
};

// 2^64 = 1 modulo 3, so of all words only 0 is rejected for a digit from {0, 1, 2}; none is for one
// from {0, 1}.
TEST(PermuteTest, DrawsAgainWhereAWordWouldBias) {
  ZerosThenOnes random;
  std::vector<uint8_t> records = Labels(3);
  Permute(absl::MakeSpan(records), 1, random);
  EXPECT_EQ(random.singles, 1);
  EXPECT_THAT(records, ElementsAre(1, 0, 2));
}

TEST(PermuteTest, KeepsEveryRecordWhole) {
  constexpr size_t kRecords = 5000, kBytes = 58;
  SeededRandom random(3);
  const std::vector<uint8_t> before = Records(kRecords, kBytes);
  std::vector<uint8_t> after = before;
  Permute(absl::MakeSpan(after), kBytes, random);
  EXPECT_NE(after, before);
  const auto multiset = [&](const std::vector<uint8_t>& flat) {
    std::multiset<std::string> records;
    for (size_t i = 0; i < kRecords; ++i) {
      records.emplace(flat.begin() + i * kBytes, flat.begin() + (i + 1) * kBytes);
    }
    return records;
  };
  EXPECT_EQ(multiset(after), multiset(before));
}

// A draw is rejected with probability below n / 2^64 = 2^-44, so with probability above
// 1 - 2^-24 none of the 2^20 is, and the seed is fixed.
TEST(PermuteTest, DrawsAndMovesAreLinear) {
  for (const size_t n : {1u << 10, 1u << 15, 1u << 20}) {
    SeededRandom random(n);
    std::vector<uint8_t> records(n * 4);
    const PermuteCost cost = Permute(absl::MakeSpan(records), 4, random);
    EXPECT_EQ(cost.draws, static_cast<int64_t>(n) - 1);
    EXPECT_EQ(random.draws(), cost.draws);
    EXPECT_LE(cost.moves, static_cast<int64_t>(n) - 1);
    // Digit i equals i with probability 1 / (i + 1): all but about ln n of the steps move. The
    // number that do not is a sum of independent indicators of mean and variance below 15; 60 or
    // more has, by Bernstein's inequality, probability below exp(-45^2 / (2 (15 + 15))) < 3e-15.
    EXPECT_GE(cost.moves, static_cast<int64_t>(n) - 60);
  }
}

}  // namespace
}  // namespace tombola::shuffler
