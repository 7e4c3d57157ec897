#include "collector/aggregate/string_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/status/status.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using strings::Shape;
using strings::StringReport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape SmallShape() { return *Shape::Create({.symbols = 3, .length = 4, .step = 2, .range = 64}); }

TEST(StringTallyTest, CountsEachCell) {
  StringTally tally(SmallShape());
  tally.Add({.level = 1, .function = 2, .bucket = 3});
  tally.Add({.level = 0, .function = 255, .bucket = 63});
  tally.Add({.level = 1, .function = 2, .bucket = 3});
  const StringCounts counts = tally.Take();
  EXPECT_EQ(counts.reports(), 3);
  EXPECT_THAT(counts.cells(), ElementsAre(CellCount{255 * 64 + 63, 1}, CellCount{258 * 64 + 3, 2}));
  EXPECT_THAT(counts.Level(0), ElementsAre(CellCount{255 * 64 + 63, 1}));
  EXPECT_THAT(counts.Level(1), ElementsAre(CellCount{258 * 64 + 3, 2}));
  EXPECT_EQ(counts.Base(1), 256u * 64);
  EXPECT_EQ(tally.Take().reports(), 0);
}

TEST(StringTallyTest, ManyReportsInPartsAreTheSameCounts) {
  constexpr int kReports = 700000;  // more than are sorted at once
  const Shape shape = SmallShape();
  SeededRandom random(5);
  StringTally whole(shape), even(shape), odd(shape);
  std::map<uint64_t, int64_t> expected;
  for (int i = 0; i < kReports; ++i) {
    const StringReport report = {.level = static_cast<uint8_t>(UniformBelow(2, random)),
                                 .function = static_cast<uint8_t>(UniformBelow(256, random)),
                                 .bucket = static_cast<uint32_t>(UniformBelow(64, random))};
    whole.Add(report);
    (i % 2 == 0 ? even : odd).Add(report);
    ++expected[(report.level * 256u + report.function) * 64 + report.bucket];
  }
  const StringCounts counts = whole.Take();
  std::map<uint64_t, int64_t> counted;
  for (const CellCount& cell : counts.cells()) counted[cell.cell] = cell.count;
  EXPECT_EQ(counted, expected);
  const StringCounts a = even.Take();
  const StringCounts b = odd.Take();
  EXPECT_EQ(a.Plus(b).cells(), counts.cells());
  EXPECT_EQ(b.Plus(a).cells(), counts.cells());
  EXPECT_EQ(counts.reports(), kReports);
}

TEST(StringCountsTest, AreReadBackFromTheirCells) {
  StringTally tally(SmallShape());
  tally.Add({.level = 1, .function = 2, .bucket = 3});
  const StringCounts counts = tally.Take();
  const auto back = StringCounts::FromCells(
      SmallShape(), std::vector<CellCount>(counts.cells().begin(), counts.cells().end()));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->cells(), counts.cells());
  EXPECT_EQ(back->reports(), 1);
}

TEST(StringCountsTest, RefusesCellsThatAreNone) {
  const auto refused = [](std::vector<CellCount> cells, const char* message) {
    const auto counts = StringCounts::FromCells(SmallShape(), std::move(cells));
    ASSERT_EQ(counts.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(counts.status().message(), HasSubstr(message));
  };
  refused({{5, 1}, {5, 1}}, "cells must ascend, cell 1 does not");
  refused({{5, 1}, {4, 1}}, "cells must ascend");
  refused({{2 * 256 * 64, 1}}, "a cell must be below 32768, is 32768");
  refused({{7, 0}}, "a cell's count must be at least 1, is 0");
}

}  // namespace
}  // namespace tombola::collector
