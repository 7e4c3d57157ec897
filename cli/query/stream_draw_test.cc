#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/query/stream_chart.h"
#include "cli/query/stream_table.h"
#include "cli/terminal/text_cells.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Of two values, of which "red" has this share of 1,000 submissions a period.
v1::StreamTotal* AddTotal(uint64_t last, double red, v1::StreamTotals* totals) {
  v1::StreamTotal* const total = totals->add_totals();
  total->set_first(1);
  total->set_last(last);
  total->set_submissions(1000 * last);
  v1::Histogram* const shares = total->mutable_shares();
  for (const auto& [name, share] : {std::pair{"red", red}, std::pair{"blue <&>", 1 - red}}) {
    shares->add_values(static_cast<uint64_t>(shares->values_size()));
    shares->add_labels(name);
    shares->add_frequencies(share);
    shares->add_raw(share);
    shares->add_standard_errors(0.01);
    shares->add_low(share - 0.02);
    shares->add_high(share + 0.02);
    const double count = share * 1000 * static_cast<double>(last);
    total->add_counts(count);
    total->add_count_standard_errors(10);
    total->add_count_low(count - 20);
    total->add_count_high(count + 20);
  }
  return total;
}

v1::PeriodRun RunOf(uint64_t first, uint64_t last) {
  v1::PeriodRun run;
  run.set_first(first);
  run.set_last(last);
  return run;
}

v1::StreamTotals Year(uint64_t periods) {
  v1::StreamTotals totals;
  for (uint64_t t = 1; t <= periods; ++t) {
    AddTotal(t, static_cast<double>(t) / static_cast<double>(periods), &totals);
  }
  totals.set_counted("fenwick, 3 nodes over a period at most");
  return totals;
}

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

TEST(DrawStreamTest, OneTotalHasSharesAndCounts) {
  v1::StreamTotals totals;
  AddTotal(4, 0.25, &totals);
  const auto lines = LinesOf(DrawStream(totals, {}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("count"));
  EXPECT_THAT(lines[1], StartsWith("red"));
  EXPECT_THAT(lines[1], HasSubstr("25.000%"));
  EXPECT_THAT(lines[1], HasSubstr("1000.0"));
  EXPECT_THAT(lines[1], HasSubstr("20.0"));
  const std::string marked = DrawStream(totals, {.truth = {0.5, 0.75}});
  EXPECT_THAT(LinesOf(marked)[1], HasSubstr("50.000% !"));
  EXPECT_THAT(LinesOf(marked)[2], Not(HasSubstr("!")));
}

TEST(DrawStreamTest, ASeriesHasALineOverTimeAndWhatEachTotalLacks) {
  v1::StreamTotals totals = Year(8);
  *totals.mutable_totals(2)->add_missing() = RunOf(3, 3);
  const std::string text = DrawStream(totals, {});
  EXPECT_THAT(LinesOf(text)[1], HasSubstr("▂▃▄▅▅▆▇█"));
  EXPECT_THAT(text, HasSubstr("1 to 3                 3000  3\n"));
  EXPECT_THAT(text, HasSubstr("1 to 4                 4000  -\n"));
}

TEST(DrawStreamTest, ALongSeriesFitsIntoTheTerminal) {
  for (const int columns : {80, 100, 200}) {
    const auto lines = LinesOf(DrawStream(Year(365), {.columns = columns}));
    EXPECT_LE(lines.size(), 30u);
    for (const std::string& line : lines) {
      EXPECT_LE(Cells(line), static_cast<size_t>(columns)) << line;
    }
    EXPECT_THAT(lines.back(), HasSubstr("24 of 365 totals"));
  }
}

TEST(DescribeStreamTest, NamesWhatIsMissing) {
  v1::StreamTotals totals = Year(8);
  const stream::Structure tree = *stream::Structure::Fenwick(16);
  EXPECT_EQ(DescribeStream(totals, tree),
            "periods 1 to 8: 8000 submissions; nodes: fenwick, 3 nodes over a period at most\n");
  *totals.mutable_totals(7)->add_missing() = RunOf(3, 3);
  *totals.mutable_totals(7)->add_missing() = RunOf(5, 7);
  *totals.mutable_totals(7)->add_strange() = RunOf(2, 2);
  totals.add_void_nodes(8);
  const std::string text = DescribeStream(totals, tree);
  EXPECT_THAT(text, HasSubstr("missing: periods 3, 5 to 7: a later node that covers them brings "
                              "them back unless it is void\n"));
  EXPECT_THAT(text, Not(HasSubstr("lost")));
  EXPECT_THAT(text, HasSubstr("not taken off: period 2,"));
  EXPECT_THAT(text, HasSubstr("void nodes, which had too few submissions: 8\n"));
}

TEST(DescribeStreamTest, WhatNoLaterNodeCoversIsLost) {
  v1::StreamTotals totals = Year(8);
  *totals.mutable_totals(7)->add_missing() = RunOf(6, 6);
  const char* const lost = "\nlost: period 6: no later node covers it\n";
  // Plain nodes cover their own period alone, and after the last node there is none.
  EXPECT_THAT(DescribeStream(totals, *stream::Structure::Plain(16)), HasSubstr(lost));
  EXPECT_THAT(DescribeStream(totals, *stream::Structure::Fenwick(8)), HasSubstr(lost));
  // Node 12 covers 9 to 12.
  EXPECT_THAT(DescribeStream(totals, *stream::Structure::Fenwick(12)), HasSubstr(lost));
  EXPECT_THAT(DescribeStream(totals, *stream::Structure::Fenwick(16)),
              HasSubstr("\nmissing: period 6: a later node that covers it brings it back"));
  // Node 10 covers 7 to 10: of two missing periods one is lost.
  const stream::Structure listed = *stream::Structure::FromStart({0, 1, 2, 3, 4, 5, 6, 7, 8, 6});
  *totals.mutable_totals(7)->add_missing() = RunOf(7, 7);
  const std::string both = DescribeStream(totals, listed);
  EXPECT_THAT(both, HasSubstr(lost));
  EXPECT_THAT(both, HasSubstr("missing: period 7:"));
}

TEST(DescribeStreamTest, OfSinglePeriodsNamesWhatEachLacks) {
  v1::StreamTotals totals = Year(8);
  for (v1::StreamTotal& total : *totals.mutable_totals()) total.set_first(total.last());
  *totals.mutable_totals(2)->add_missing() = RunOf(3, 3);
  *totals.mutable_totals(3)->add_strange() = RunOf(3, 3);
  *totals.mutable_totals(4)->add_missing() = RunOf(5, 5);
  totals.add_void_nodes(3);
  totals.add_void_nodes(5);
  totals.add_void_nodes(6);
  totals.add_void_nodes(8);
  // Node 4 covers period 3; of those that cover period 5 all are void.
  const std::string text = DescribeStream(totals, *stream::Structure::Fenwick(8));
  EXPECT_THAT(text, HasSubstr("lost: period 5: "));
  EXPECT_THAT(text, HasSubstr("missing: period 3: "));
  EXPECT_THAT(text, HasSubstr("not taken off: 3 in period 4\n"));
  const std::string table = DrawStream(totals, {});
  EXPECT_THAT(table, HasSubstr("4                      4000* -\n"));
  EXPECT_THAT(table, HasSubstr("\n* has strange periods in it"));
}

TEST(DrawStreamChartTest, HasALineAndABandForEachValue) {
  v1::Answer answer;
  *answer.mutable_stream() = Year(12);
  answer.mutable_stream()->mutable_totals(4)->clear_shares();
  const std::string svg =
      DrawStreamChart(answer, *stream::Structure::Fenwick(12),
                      {.title = "a & b", .postprocess = "pop", .confidence = 0.95});
  EXPECT_THAT(svg, HasSubstr("a &amp; b"));
  EXPECT_THAT(svg, HasSubstr("blue &lt;&amp;&gt;"));
  EXPECT_THAT(svg, HasSubstr("class=\"line s0\""));
  EXPECT_THAT(svg, HasSubstr("class=\"bar s1\""));
  EXPECT_THAT(svg, HasSubstr("Bands: 95 % intervals"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  // What is not there is a gap: the line begins twice.
  const size_t line = svg.find("<path class=\"line s0\"");
  const std::string path = svg.substr(line, svg.find('\n', line) - line);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << path;
}

}  // namespace
}  // namespace tombola::cli
