#include "shuffler/permute/memory_permute.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "shuffler/permute/block_permute.h"
#include "shuffler/permute/scatter.h"
#include "shuffler/permute/test_memory_blocks.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kRecordBytes = 8;
const size_t kRecords = BlockOptions().least_bytes / kRecordBytes + 5;

std::vector<uint64_t> Numbers(size_t n) {
  std::vector<uint64_t> numbers(n);
  for (size_t i = 0; i < n; ++i) numbers[i] = i;
  return numbers;
}

absl::Span<uint8_t> Flat(std::vector<uint64_t>& numbers) {
  return absl::MakeSpan(reinterpret_cast<uint8_t*>(numbers.data()), 8 * numbers.size());
}

std::vector<uint64_t> Sorted(absl::Span<const uint8_t> flat) {
  std::vector<uint64_t> numbers(flat.size() / 8);
  std::copy(flat.begin(), flat.end(), reinterpret_cast<uint8_t*>(numbers.data()));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(MemoryPermuteTest, UsesASecondBufferOnlyWhereTheLimitHasRoom) {
  const size_t needed = 2 * kRecords * kRecordBytes + BlockPermuteScratch(kRecords, 2);
  for (const bool roomy : {false, true}) {
    SeededRandom first(1), second(2);
    const std::vector<RandomSource*> sources = {&first, &second};
    MemoryPermute permute(sources, roomy ? needed : needed - 1);
    for (int run = 0; run < 2; ++run) {
      std::vector<uint64_t> numbers = Numbers(kRecords);
      const MemoryPermute::Result result = permute.Run(Flat(numbers), kRecordBytes);
      EXPECT_EQ(result.records.data() == Flat(numbers).data(), !roomy);
      EXPECT_EQ(second.draws() > 0, roomy);
      EXPECT_EQ(Sorted(result.records), Numbers(kRecords));
      std::vector<uint64_t> before = Numbers(kRecords);
      EXPECT_NE(result.records, absl::MakeConstSpan(Flat(before)));  // one chance in n!
    }
  }
}

TEST(MemoryPermuteTest, FewRecordsStayInPlace) {
  SeededRandom first(1), second(2);
  const std::vector<RandomSource*> sources = {&first, &second};
  MemoryPermute permute(sources, size_t{1} << 40);
  std::vector<uint64_t> numbers = Numbers(1000);
  EXPECT_EQ(permute.Run(Flat(numbers), kRecordBytes).records.data(), Flat(numbers).data());
  EXPECT_EQ(Sorted(Flat(numbers)), Numbers(1000));
  EXPECT_EQ(second.draws(), 0);
}

// Blocks of different sizes one after the other, through one second buffer.
TEST(MemoryPermuteTest, ScatteredBlocksArePermutedOnAllThreads) {
  SeededRandom first(1), second(2);
  const std::vector<RandomSource*> sources = {&first, &second};
  MemoryBlocks blocks(3);
  Scatter scatter(kRecordBytes, blocks, sources, size_t{1} << 40);
  std::vector<uint64_t> numbers = Numbers(4 * kRecords);
  ASSERT_TRUE(scatter.Add(Flat(numbers)).ok());
  std::vector<uint8_t> out;
  ASSERT_TRUE(scatter
                  .Finish([&](absl::Span<const uint8_t> records) {
                    out.insert(out.end(), records.begin(), records.end());
                    return absl::OkStatus();
                  })
                  .ok());
  EXPECT_GT(second.draws(), 0);
  EXPECT_EQ(Sorted(out), numbers);
}

}  // namespace
}  // namespace tombola::shuffler
