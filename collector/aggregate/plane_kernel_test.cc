#include "collector/aggregate/plane_kernel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "collector/aggregate/kernel_testing.h"
#include "common/table/hash_family.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

PlaneShape ShapeOf(uint32_t order, size_t domain) {
  const size_t side = mechanism::CeilSqrt(domain);
  return {.order = order,
          .side = static_cast<uint32_t>(side),
          .rows = static_cast<uint32_t>((domain + side - 1) / side)};
}

// Random lines, every other one through a point of the domain, so that large orders are seen at
// work; and those that step by as little and as much as there is.
PlaneLines Lines(const PlaneShape& shape, size_t size, size_t domain, uint64_t seed) {
  SeededRandom random(seed);
  PlaneLines lines;
  for (; lines.size < size; ++lines.size) {
    uint64_t slope = UniformBelow(shape.order, random);
    if (lines.size % 7 == 3) slope = 0;
    if (lines.size % 7 == 5) slope = shape.order - 1;
    lines.slopes[lines.size] = static_cast<uint32_t>(slope);
    lines.buckets[lines.size] = static_cast<uint32_t>(
        lines.size % 2 == 0
            ? UniformBelow(shape.order, random)
            : mechanism::PlaneBucket(lines.slopes[lines.size], UniformBelow(domain, random),
                                     shape.side, shape.order));
  }
  return lines;
}

class CountPointsTest : public KernelTest {};

TEST_P(CountPointsTest, CountsByTheDefinition) {
  struct Case {
    uint32_t order;
    size_t domain;
  };
  for (const Case& c :
       {Case{2, 2}, Case{2, 3}, Case{2, 4}, Case{5, 25}, Case{29, 600}, Case{31, 601},
        Case{2281, 600}, Case{73783, 42178}, Case{211, 42178}, Case{32749, 5000}, Case{32771, 5000},
        Case{37, 1025}, Case{2147483647, 1000}}) {
    const PlaneShape shape = ShapeOf(c.order, c.domain);
    for (const size_t size : {0, 1, 2, 15, 16, 17, 31, 32, 33, 255, 256}) {
      const PlaneLines lines = Lines(shape, size, c.domain, size + 1);
      std::vector<int64_t> expected(c.domain, 5);
      for (size_t i = 0; i < size; ++i) {
        for (size_t v = 0; v < c.domain; ++v) {
          expected[v] += mechanism::PlaneBucket(lines.slopes[i], v, shape.side, shape.order) ==
                         lines.buckets[i];
        }
      }
      std::vector<int64_t> counts(c.domain, 5);
      CountPoints(shape, lines, absl::MakeSpan(counts));
      EXPECT_EQ(counts, expected) << "order " << c.order << ", domain " << c.domain << ", size "
                                  << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, CountPointsTest, ::testing::ValuesIn(KnownTargets()),
                         TargetNameOf);

}  // namespace
}  // namespace tombola::collector
