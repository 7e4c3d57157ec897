#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/query/number_chart.h"
#include "cli/query/number_table.h"

namespace tombola::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void Set(double value, double low, double high, v1::Estimate* estimate) {
  estimate->set_value(value);
  estimate->set_standard_error((high - low) / 4);
  estimate->set_low(low);
  estimate->set_high(high);
}

v1::Answer Latencies() {
  v1::Answer answer;
  v1::Distribution* const numbers = answer.mutable_number();
  Set(5000, 5000, 5000, numbers->mutable_count());
  Set(1, 1, 1, numbers->mutable_frequency());
  Set(42.5, 41, 44, numbers->mutable_mean());
  Set(212500, 205000, 220000, numbers->mutable_sum());
  numbers->set_spread(0.5);
  numbers->set_counted("a tree of 5 levels over 1024 bins");
  for (const double fraction : {0.5, 0.95}) {
    numbers->add_fractions(fraction);
    Set(100 * fraction, 100 * fraction - 2, 100 * fraction + 2, numbers->add_quantiles());
  }
  for (int bin = 0; bin < 4; ++bin) {
    numbers->add_low_edges(25 * bin);
    numbers->add_high_edges(25 * bin + 25);
    numbers->add_frequencies(0.25);
    numbers->add_raw(0.25);
    numbers->add_standard_errors(0.01);
    numbers->add_low(0.23);
    numbers->add_high(0.27);
  }
  return answer;
}

TEST(NumberTableTest, HasALineForEachEstimate) {
  const std::string table = DrawNumbers(Latencies().number(), {}, {});
  EXPECT_THAT(table, HasSubstr("95 % interval\n"));
  EXPECT_THAT(table, HasSubstr("devices                  5000   known\n"));
  EXPECT_THAT(table, HasSubstr("mean                     42.5   41 to 44\n"));
  EXPECT_THAT(table, HasSubstr("quantile 0.95              95   93 to 97\n"));
  EXPECT_THAT(table, Not(HasSubstr("share")));
  EXPECT_THAT(table, HasSubstr("0 ···"));
  EXPECT_THAT(table, HasSubstr("●"));
}

TEST(NumberTableTest, FlagsATruthOutsideItsInterval) {
  Truth truth;
  truth.numbers = NumbersTruth{.count = 5000, .mean = 45, .sum = 212500, .quantiles = {50, 90}};
  const std::string table = DrawNumbers(Latencies().number(), {}, truth);
  EXPECT_THAT(table, HasSubstr("45 !\n"));
  EXPECT_THAT(table, HasSubstr("90 !\n"));
  EXPECT_THAT(table, HasSubstr("50\n"));
}

TEST(NumberTableTest, SaysWhatIsNotKnown) {
  v1::Distribution numbers = Latencies().number();
  numbers.clear_mean();
  numbers.clear_quantiles();
  numbers.mutable_where()->set_low(1);
  numbers.mutable_where()->set_high(2);
  numbers.set_partial(12);
  const std::string table = DrawNumbers(numbers, {}, {});
  EXPECT_THAT(table, HasSubstr("mean             too few devices\n"));
  EXPECT_THAT(table, HasSubstr("quantile 0.5     too few devices\n"));
  EXPECT_THAT(table, HasSubstr("share "));
  EXPECT_THAT(DescribeNumbers(numbers),
              AllOf(HasSubstr("a tree of 5 levels"), HasSubstr("0.5 on either side"),
                    HasSubstr("about 12 devices")));
}

TEST(NumberTableTest, DrawsBinsAsAHistogram) {
  const std::string table = DrawHistogram(BinsOf(Latencies().number()), {});
  EXPECT_THAT(table, HasSubstr("25..50"));
  EXPECT_THAT(table, HasSubstr("25.000%"));
}

TEST(NumberChartTest, HasBinsQuantilesAndTheMean) {
  const std::string svg =
      DrawNumberChart(Latencies(), {.title = "latency <ms>", .postprocess = "pop"}, {});
  EXPECT_THAT(svg, HasSubstr("latency &lt;ms&gt;"));
  EXPECT_THAT(svg, HasSubstr("<title>25..50: 25 %, interval 23 % to 27 %</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>0.95: 95, interval 93 to 97</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>mean: 42.5, interval 41 to 44</title>"));
  EXPECT_THAT(svg, HasSubstr("Devices 5000. Mean 42.5 (41 to 44)"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  EXPECT_THAT(svg, Not(HasSubstr("by width")));
}

TEST(NumberChartTest, DrawsUnevenBinsByTheirWidth) {
  v1::Answer answer = Latencies();
  answer.mutable_number()->set_high_edges(3, 1000);
  const std::string svg = DrawNumberChart(answer, {.title = "x", .postprocess = "none"}, {});
  EXPECT_THAT(svg, HasSubstr("by width, unbiased estimates"));
  v1::Answer dithered;
  *dithered.mutable_number()->mutable_count() = answer.number().count();
  *dithered.mutable_number()->mutable_mean() = answer.number().mean();
  EXPECT_THAT(DrawNumberChart(dithered, {.title = "x"}, {}), HasSubstr("Mean 42.5"));
}

}  // namespace
}  // namespace tombola::cli
