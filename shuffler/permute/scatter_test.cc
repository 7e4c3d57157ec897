#include "shuffler/permute/scatter.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/permute/test_memory_blocks.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

std::vector<uint8_t> Labels(size_t n) {
  std::vector<uint8_t> labels(n);
  std::iota(labels.begin(), labels.end(), uint8_t{0});
  return labels;
}

absl::StatusOr<std::vector<uint8_t>> Scattered(const std::vector<uint8_t>& in, size_t record_bytes,
                                               ScatterBlocks& blocks, RandomSource& random,
                                               PermuteCost* cost = nullptr) {
  Scatter scatter(record_bytes, blocks, random);
  absl::Status added = scatter.Add(in);
  if (!added.ok()) return added;
  std::vector<uint8_t> out;
  const absl::Status finished = scatter.Finish([&](absl::Span<const uint8_t> records) {
    out.insert(out.end(), records.begin(), records.end());
    return absl::OkStatus();
  });
  if (!finished.ok()) return finished;
  if (cost != nullptr) *cost = scatter.cost();
  return out;
}

TEST(ScatterTest, KeepsEveryRecord) {
  for (const size_t block_count : {1, 2, 7, 300}) {
    MemoryBlocks blocks(block_count);
    SeededRandom random(block_count);
    absl::StatusOr<std::vector<uint8_t>> out = Scattered(Labels(200), 1, blocks, random);
    ASSERT_TRUE(out.ok());
    EXPECT_NE(*out, Labels(200));
    std::sort(out->begin(), out->end());
    EXPECT_EQ(*out, Labels(200));
  }
}

TEST(ScatterTest, EmitsTheBlocksInOrder) {
  MemoryBlocks blocks(3);
  SeededRandom random(5);
  const absl::StatusOr<std::vector<uint8_t>> out = Scattered(Labels(60), 2, blocks, random);
  ASSERT_TRUE(out.ok());
  std::vector<uint8_t> concatenated;
  for (size_t block = 0; block < 3; ++block) {
    const absl::Span<uint8_t> records = *blocks.Load(block);
    EXPECT_FALSE(records.empty());
    concatenated.insert(concatenated.end(), records.begin(), records.end());
  }
  EXPECT_EQ(*out, concatenated);
}

TEST(ScatterTest, CostIsLinear) {
  constexpr int64_t kRecords = 100000;
  MemoryBlocks blocks(10);
  SeededRandom random(6);
  PermuteCost cost;
  ASSERT_TRUE(Scattered(std::vector<uint8_t>(kRecords), 1, blocks, random, &cost).ok());
  EXPECT_EQ(cost.draws, 2 * kRecords - 10);  // one for its block, and n_b - 1 in each block
  EXPECT_EQ(random.draws(), cost.draws);
  EXPECT_LE(cost.moves, 2 * kRecords);
}

class FailingBlocks final : public ScatterBlocks {
 public:
  size_t size() const override { return 2; }
  absl::Status Append(size_t, absl::Span<const uint8_t>) override {
    return append_ok ? absl::OkStatus() : absl::ResourceExhaustedError("append");
  }
  absl::StatusOr<absl::Span<uint8_t>> Load(size_t) override {
    return absl::UnavailableError("load");
  }
  bool append_ok = true;
};

TEST(ScatterTest, PassesFailuresOn) {
  FailingBlocks blocks;
  SeededRandom random(7);
  EXPECT_EQ(Scattered(Labels(4), 1, blocks, random).status().message(), "load");
  blocks.append_ok = false;
  EXPECT_EQ(Scattered(Labels(4), 1, blocks, random).status().message(), "append");
}

}  // namespace
}  // namespace tombola::shuffler
