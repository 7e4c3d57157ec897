#include "collector/aggregate/affine_kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

template <typename Word>
std::vector<AffineLine<Word>> Lines(int count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<AffineLine<Word>> lines;
  for (int i = 0; i < count; ++i) {
    lines.push_back({static_cast<Word>(random.Next64()), static_cast<Word>(random.Next64())});
  }
  // Values that sit on the ends of the lane and do not move.
  for (const Word start : {Word{0}, std::numeric_limits<Word>::max(), Word{1} << 31}) {
    lines.push_back({start, 0});
  }
  return lines;
}

template <typename Word>
void ExpectCounts(Vectors vectors, Word limit, uint64_t first, size_t size) {
  const std::vector<AffineLine<Word>> lines = Lines<Word>(50, size);
  std::vector<Word> expected(size, 7);
  for (const AffineLine<Word>& line : lines) {
    for (size_t i = 0; i < size; ++i) {
      const Word at = line.start + line.step * static_cast<Word>(first + i);
      expected[i] += at < limit;
    }
  }
  std::vector<Word> counts(size, 7);
  CountBelow<Word>(vectors, lines, limit, first, absl::MakeSpan(counts));
  EXPECT_EQ(counts, expected) << "vectors " << static_cast<int>(vectors) << ", limit " << limit
                              << ", first " << first << ", size " << size;
}

TEST(CountBelowTest, EveryInstructionSetCountsTheSame) {
  for (const Vectors vectors : {Vectors::kPortable, Vectors::kAvx2, Vectors::kAvx512}) {
    if (!Supported(vectors)) continue;
    for (const size_t size : {0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 1000}) {
      for (const uint64_t first : {0, 4096, 16777000}) {
        for (const uint32_t limit : {1u, 2u, 1u << 28, 1u << 31}) {
          ExpectCounts<uint32_t>(vectors, limit, first, size);
          ExpectCounts<uint64_t>(vectors, uint64_t{limit} << 32, first, size);
          ExpectCounts<uint64_t>(vectors, limit, first, size);
        }
      }
    }
  }
}

TEST(CountBelowTest, TheWidestVectorsAreSupported) {
  EXPECT_TRUE(Supported(Vectors::kPortable));
  EXPECT_TRUE(Supported(WidestVectors()));
}

}  // namespace
}  // namespace tombola::collector
