#include "cli/query/means_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::KeyValues Ratings() {
  v1::KeyValues pairs;
  for (const char* label : {"tent", "l&mp"}) {
    pairs.add_values(static_cast<uint64_t>(pairs.values_size()));
    pairs.add_labels(label);
  }
  pairs.add_means(3);
  pairs.add_mean_low(2);
  pairs.add_mean_high(4);
  for (auto* column :
       {pairs.mutable_means(), pairs.mutable_mean_low(), pairs.mutable_mean_high()}) {
    column->Add(std::nan(""));
  }
  return pairs;
}

constexpr Levels kStars{.low = 1, .high = 5, .count = 5};

TEST(MeansPanelTest, DrawsADotAndAnIntervalWhereThereIsAMean) {
  const ChartPanel panel = MeansPanel(Ratings(), kStars, {});
  EXPECT_EQ(panel.height, 30 + 2 * 22 + 24);
  const std::string svg = panel.draw(100);
  // 1 to 5 over x from 196 to 640: 111 a unit; the first row's middle is 11 below 130.
  EXPECT_THAT(svg, HasSubstr("cx=\"418.0\" cy=\"141\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M307.0 137v8M307.0 141H529.0M529.0 137v8\""));
  EXPECT_THAT(svg, HasSubstr("<title>tent: mean 3, interval 2 to 4</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>l&amp;mp: too few holders for a mean</title>"));
  EXPECT_THAT(svg, HasSubstr(">too few holders</text>"));
  for (const char* tick : {">1<", ">2<", ">5<"}) EXPECT_THAT(svg, HasSubstr(tick));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("mark s1")));
}

TEST(MeansPanelTest, MarksTheTruthWhereItIsKnown) {
  const std::string svg = MeansPanel(Ratings(), kStars, {2.5, std::nan("")}).draw(0);
  EXPECT_THAT(svg, HasSubstr("truth 2.5</title>"));
  EXPECT_THAT(svg, HasSubstr("d=\"M362.5 "));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace tombola::cli
