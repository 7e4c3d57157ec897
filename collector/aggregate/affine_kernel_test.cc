#include "collector/aggregate/affine_kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "collector/aggregate/kernel_testing.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

template <typename Word>
std::vector<AffineLine<Word>> Lines(int count, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<AffineLine<Word>> lines;
  lines.reserve(static_cast<size_t>(count) + 2);
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
void ExpectCounts(int line_count, Word limit, uint64_t first, size_t size) {
  const std::vector<AffineLine<Word>> lines = Lines<Word>(line_count, size);
  std::vector<Word> expected(size, 7);
  for (const AffineLine<Word>& line : lines) {
    for (size_t i = 0; i < size; ++i) {
      const Word at = line.start + line.step * static_cast<Word>(first + i);
      expected[i] += at < limit;
    }
  }
  std::vector<Word> counts(size, 7);
  CountBelow<Word>(lines, limit, first, absl::MakeSpan(counts));
  EXPECT_EQ(counts, expected) << "lines " << line_count << " + 3, limit " << limit << ", first "
                              << first << ", size " << size;
}

class CountBelowTest : public KernelTest {};

TEST_P(CountBelowTest, CountsByTheDefinition) {
  for (const size_t size : {0, 1, 7, 8, 15, 16, 17, 31, 33, 64, 1000}) {
    for (const uint64_t first : {0, 4096, 16777000}) {
      for (const uint32_t limit : {1u, 2u, 1u << 28, 1u << 31}) {
        ExpectCounts<uint32_t>(50, limit, first, size);
        ExpectCounts<uint64_t>(50, uint64_t{limit} << 32, first, size);
        ExpectCounts<uint64_t>(50, limit, first, size);
      }
    }
  }
}

TEST_P(CountBelowTest, AnyNumberOfLinesIsCounted) {
  for (int line_count = 0; line_count < 9; ++line_count) {
    ExpectCounts<uint32_t>(line_count, 1u << 30, 5, 41);
    ExpectCounts<uint64_t>(line_count, uint64_t{1} << 62, 5, 41);
  }
  std::vector<uint32_t> counts(20, 3);
  CountBelow<uint32_t>({}, 1, 0, absl::MakeSpan(counts));
  EXPECT_EQ(counts, std::vector<uint32_t>(20, 3));
}

INSTANTIATE_TEST_SUITE_P(Targets, CountBelowTest, ::testing::ValuesIn(KnownTargets()),
                         TargetNameOf);

}  // namespace
}  // namespace tombola::collector
