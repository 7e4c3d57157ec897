#include "cli/simulation/chart.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

int Occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ChartTest, DrawsOneLineASeriesOnDecades) {
  const std::string svg =
      DrawChart({"title", "epsilon", "error"},
                {{.name = "one", .points = {{0.1, 1e-6}, {1, 1e-8}}},
                 {.name = "two", .points = {{0.1, 2e-7}, {1, 3e-8}}, .style = 8, .dashed = true}});
  // The decades -8 to -6 and the ends of the axes: the plot spans x from 84 to 526, y from 46 to
  // 384.
  EXPECT_THAT(svg, HasSubstr("class=\"line s0\" d=\"M84.0 46.0L526.0 384.0\""));
  EXPECT_THAT(svg, HasSubstr("class=\"line s8 dashed\" d=\"M84.0 "));
  for (const char* decade : {">-8<", ">-7<", ">-6<"}) EXPECT_THAT(svg, HasSubstr(decade));
  EXPECT_THAT(svg, Not(HasSubstr(">-9<")));
  EXPECT_EQ(Occurrences(svg, "class=\"mark s0\""), 3);  // two points and the legend
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(ChartTest, SpacesRatiosAlikeIfAsked) {
  const std::string svg =
      DrawChart({.log_x = true}, {{.name = "one", .points = {{0.1, 1}, {1, 1}, {10, 1}}}});
  EXPECT_THAT(svg, HasSubstr("M84.0 384.0L305.0 384.0L526.0 384.0"));
}

TEST(ChartTest, LeavesGaps) {
  const std::string svg = DrawChart(
      {}, {{.name = "gap", .points = {{1, 1e-1}, {2, NAN}, {3, 1e-1}, {4, 0}, {5, 1e-2}}}});
  const size_t line = svg.find("class=\"line s0\" d=\"M84.0");
  ASSERT_NE(line, std::string::npos);
  const std::string path = svg.substr(line, svg.find("/>", line) - line);
  EXPECT_EQ(Occurrences(path, "M"), 3);
  EXPECT_EQ(Occurrences(path, "L"), 0);
}

TEST(ChartTest, DrawsOnePointAndNone) {
  EXPECT_THAT(DrawChart({}, {{.name = "one", .points = {{0.5, 1e-6}}}}),
              HasSubstr("translate(305.0 "));
  const std::string empty = DrawChart({}, {{.name = "absent", .points = {{0.5, NAN}}}});
  EXPECT_THAT(empty, Not(HasSubstr("absent")));
  EXPECT_THAT(empty, HasSubstr("</svg>"));
}

TEST(ChartTest, EscapesText) {
  const std::string svg = DrawChart({.title = "a < b & c"}, {{.name = "<x>", .points = {{1, 1}}}});
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, HasSubstr("&lt;x&gt;"));
}

}  // namespace
}  // namespace tombola::simulation
