#include "collector/aggregate/string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/aggregate/tables_aggregator.h"
#include "common/base/encoding.h"
#include "common/mechanism/strings.h"
#include "common/strings/report.h"

namespace tombola::collector {
namespace {

using strings::Shape;
using strings::StringReport;
using ::testing::ElementsAre;

Shape SmallShape() { return *Shape::Create({.symbols = 3, .length = 4, .step = 2, .range = 64}); }

std::string Bytes(std::initializer_list<StringReport> reports) {
  std::string bytes;
  for (const StringReport& report : reports) {
    std::array<uint8_t, StringReport::kBytes> one{};
    Write(report, absl::MakeSpan(one));
    absl::StrAppend(&bytes, AsView(one));
  }
  return bytes;
}

TEST(StringAggregatorTest, CountsTheCellsThatOccurAndDropsWhatIsOutOfRange) {
  TablesAggregator aggregator(mechanism::Tables(
      {*mechanism::Strings::Create(SmallShape(), {.blanket_threshold = uint64_t{1} << 62})}));
  const AddedReports added = aggregator.AddAll(AsBytes(Bytes({{1, 2, 3},
                                                              {2, 0, 0},  // no such level
                                                              {0, 255, 63},
                                                              {0, 0, 64},  // no such bucket
                                                              {1, 2, 3}})));
  EXPECT_EQ(added.counted, 3);
  EXPECT_EQ(added.rejected.out_of_range, 2);
  EXPECT_EQ(added.rejected.malformed, 0);
  const Counts counts = std::move(aggregator).Finish();
  ASSERT_EQ(counts.tables.size(), 1u);
  EXPECT_EQ(counts.tables[0].reports, 3);
  EXPECT_TRUE(counts.tables[0].counts.empty());
  EXPECT_THAT(counts.tables[0].cells,
              ElementsAre(CellCount{255 * 64 + 63, 1}, CellCount{258 * 64 + 3, 2}));
}

TEST(StringAggregatorTest, AReportOfAnotherLengthIsMalformed) {
  StringAggregator aggregator(SmallShape());
  const std::string report = Bytes({{1, 2, 3}});
  EXPECT_EQ(aggregator.Add(AsBytes(report).first(5)), mechanism::ReportState::kMalformed);
  EXPECT_EQ(aggregator.Add(AsBytes(report)), mechanism::ReportState::kValid);
  EXPECT_THAT(aggregator.TakeCells(), ElementsAre(CellCount{258 * 64 + 3, 1}));
}

}  // namespace
}  // namespace tombola::collector
