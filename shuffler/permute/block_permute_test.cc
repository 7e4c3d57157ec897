#include "shuffler/permute/block_permute.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "shuffler/permute/block_scatter.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/small_digits.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

// Blocks of a few records, whatever their number.
constexpr BlockOptions kTiny = {.block_bytes = 64, .least_bytes = 0};

std::vector<uint8_t> Records(size_t n, size_t record_bytes) {
  std::vector<uint8_t> records(n * record_bytes);
  for (size_t i = 0; i < n; ++i) {
    for (size_t b = 0; b < record_bytes; ++b) {
      records[i * record_bytes + b] = static_cast<uint8_t>((i >> (8 * (b % 4))) + 31 * b);
    }
  }
  return records;
}

// In memory that begins `shift` bytes after a page does.
std::vector<uint8_t> Permuted(const std::vector<uint8_t>& from, size_t record_bytes, size_t sources,
                              const BlockOptions& options, size_t shift = 0,
                              PermuteCost* cost = nullptr) {
  std::vector<SeededRandom> owned;
  for (size_t i = 0; i < sources; ++i) owned.emplace_back(100 * sources + i);
  std::vector<RandomSource*> pointers;
  pointers.reserve(owned.size());
  for (SeededRandom& source : owned) pointers.push_back(&source);
  const PageBuffer memory(from.size() + shift);
  const absl::Span<uint8_t> to = memory.bytes().subspan(shift);
  const PermuteCost measured = PermuteInto(from, to, record_bytes, pointers, options);
  if (cost != nullptr) *cost = measured;
  return std::vector<uint8_t>(to.begin(), to.end());
}

std::multiset<std::string> Multiset(const std::vector<uint8_t>& flat, size_t record_bytes) {
  std::multiset<std::string> records;
  for (size_t at = 0; at < flat.size(); at += record_bytes) {
    records.emplace(flat.begin() + at, flat.begin() + at + record_bytes);
  }
  return records;
}

TEST(BlockPermuteTest, KeepsEveryRecordWhole) {
  for (const size_t n : {0, 1, 2, 3, 5, 63, 64, 65, 1000, 5003}) {
    for (const size_t record_bytes : {1, 4, 15, 16, 17, 58, 64, 84}) {
      for (const size_t sources : {1, 2, 3, 8}) {
        const std::vector<uint8_t> before = Records(n, record_bytes);
        const std::vector<uint8_t> after = Permuted(before, record_bytes, sources, kTiny);
        EXPECT_EQ(Multiset(after, record_bytes), Multiset(before, record_bytes))
            << n << " records of " << record_bytes << ", " << sources << " sources";
        if (n < 63) continue;
        EXPECT_NE(after, before);  // one chance in 63!
      }
    }
  }
}

TEST(BlockPermuteTest, ThePlaceInMemoryDoesNotMatter) {
  const std::vector<uint8_t> before = Records(3001, 16);
  const std::vector<uint8_t> aligned = Permuted(before, 16, 2, kTiny);
  for (const size_t shift : {1, 16, 63}) {
    EXPECT_EQ(Permuted(before, 16, 2, kTiny, shift), aligned) << shift;
  }
}

TEST(BlockPermuteTest, TheSourcesDecideAndNotTheThreads) {
  for (const size_t record_bytes : {16, 58}) {
    for (const size_t sources : {2, 3, 8}) {
      const std::vector<uint8_t> before = Records(20000, record_bytes);
      BlockOptions alone = kTiny;
      alone.most_threads = 1;
      const std::vector<uint8_t> expected = Permuted(before, record_bytes, sources, alone);
      for (int run = 0; run < 5; ++run) {
        EXPECT_EQ(Permuted(before, record_bytes, sources, kTiny), expected);
      }
    }
  }
}

TEST(BlockPermuteTest, FewRecordsArePermutedAsIfInPlace) {
  const std::vector<uint8_t> before = Records(1000, 16);
  std::vector<uint8_t> expected = before;
  SeededRandom random(200);
  Permute(absl::MakeSpan(expected), 16, random);
  EXPECT_EQ(Permuted(before, 16, 2, BlockOptions()), expected);
}

// With the defaults, beyond the size that is permuted in place.
TEST(BlockPermuteTest, ManyRecords) {
  const size_t n = BlockOptions().least_bytes / 16 + 1;
  const std::vector<uint8_t> before = Records(n, 16);
  PermuteCost cost;
  const std::vector<uint8_t> after = Permuted(before, 16, 2, BlockOptions(), 0, &cost);
  EXPECT_EQ(Multiset(after, 16), Multiset(before, 16));
  EXPECT_LE(cost.draws, static_cast<int64_t>(2 * n));
  EXPECT_LE(cost.moves, static_cast<int64_t>(2 * n));
  EXPECT_GE(cost.draws, static_cast<int64_t>(2 * n - BlockOptions().most_blocks));
}

TEST(BlockScatterTest, LaysPartAfterPartDownInEachBlock) {
  constexpr size_t kRecords = 1000, kParts = 3, kBlocks = 4;
  BlockScatter scatter(kRecords, kParts, kBlocks);
  SeededRandom random(5);
  for (size_t part = 0; part < kParts; ++part) scatter.Draw(part, random);
  scatter.Place();
  std::vector<uint16_t> from(kRecords), to(kRecords);
  std::iota(from.begin(), from.end(), uint16_t{0});
  for (const size_t part : {2, 0, 1}) {
    scatter.Lay(part, absl::MakeSpan(reinterpret_cast<const uint8_t*>(from.data()), 2 * kRecords),
                absl::MakeSpan(reinterpret_cast<uint8_t*>(to.data()), 2 * kRecords), 2);
  }
  EXPECT_EQ(scatter.start(0), 0u);
  EXPECT_EQ(scatter.start(kBlocks), kRecords);
  for (size_t block = 0; block < kBlocks; ++block) {
    EXPECT_LT(scatter.start(block), scatter.start(block + 1));
    EXPECT_TRUE(
        std::is_sorted(to.begin() + scatter.start(block), to.begin() + scatter.start(block + 1)));
  }
  std::sort(to.begin(), to.end());
  EXPECT_EQ(to, from);
}

// Words of 32 bits, in their order, again and again.
class Words final : public RandomSource {
 public:
  explicit Words(std::vector<uint32_t> words) : words_(std::move(words)) {}
  uint64_t Next64() override { return 0; }
  void Fill(absl::Span<uint8_t> out) override {
    for (size_t i = 0; i < out.size(); i += 4) {
      std::memcpy(&out[i], &words_[i / 4 % words_.size()], 4);
    }
  }

 private:
  const std::vector<uint32_t> words_;
};

// 2^32 = 1 modulo 3, so of all words only 0 is rejected for a digit below 3, and then as often as
// it comes; none is for one below 4. The next words lie at the borders of the thirds.
TEST(SmallDigitsTest, DrawsAgainWhereAWordWouldBias) {
  Words words({0, 0, 1, 0x55555556, 0xAAAAAAAB, 0xFFFFFFFF, 0});
  SmallDigits digits(7, words);
  EXPECT_EQ(digits.Below(3), 0u);
  EXPECT_EQ(digits.Below(3), 1u);
  EXPECT_EQ(digits.Below(3), 2u);
  EXPECT_EQ(digits.Below(3), 2u);
  EXPECT_EQ(digits.Below(4), 0u);
}

TEST(SmallDigitsTest, FetchesNoMoreThanIsExpected) {
  SeededRandom random(6);
  SmallDigits digits(3000, random);
  for (int i = 0; i < 3000; ++i) digits.Below(1);
  EXPECT_EQ(random.draws(), 1500);  // two halves a word
  digits.Below(1);
  EXPECT_EQ(random.draws(), 1501);
}

TEST(SmallDigitsTest, PowersOfTwoTakeTheTopBits) {
  Words words({0x00000000, 0x40000000, 0x80000000, 0xC0000000});
  SmallDigits digits(7, words);
  for (const uint32_t expected : {0u, 1u, 2u, 3u}) EXPECT_EQ(digits.Below(4), expected);
  EXPECT_EQ(digits.Below(1), 0u);
}

}  // namespace
}  // namespace tombola::shuffler
