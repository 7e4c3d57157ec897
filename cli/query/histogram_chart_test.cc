#include "cli/query/histogram_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void AddBin(v1::Answer* answer, const std::string& label, double frequency, double low,
            double high) {
  v1::Histogram* histogram = answer->mutable_histogram();
  histogram->add_values(static_cast<uint64_t>(histogram->values_size()));
  *histogram->add_labels() = label;
  histogram->add_frequencies(frequency);
  histogram->add_raw((low + high) / 2);
  histogram->add_standard_errors((high - low) / 4);
  histogram->add_low(low);
  histogram->add_high(high);
}

v1::Answer Colours() {
  v1::Answer answer;
  AddBin(&answer, "red", 0.6, 0.5, 0.7);
  AddBin(&answer, "green", 0.4, 0.35, 0.45);
  AddBin(&answer, "blue", 0, -0.1, 0.05);
  answer.mutable_histogram()->set_max_error(0.03125);
  answer.set_reports(5000);
  v1::Guarantee* guarantee = answer.mutable_guarantee();
  guarantee->set_epsilon(0.98761);
  guarantee->set_delta(1e-6);
  guarantee->set_local_epsilon(4.5);
  guarantee->set_users(4321);
  guarantee->set_method("tight");
  guarantee->set_submissions_per_device(7);
  return answer;
}

HistogramChart Chart() { return {.title = "colours", .postprocess = "pop", .domain = 3}; }

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

TEST(HistogramChartTest, DrawsABarAndAnIntervalForEachBin) {
  const std::string svg = DrawHistogramChart(Colours(), Chart());
  // -0.1 to 0.7 in steps of 0.2: the axis spans -0.2 to 0.8 over x from 196 to 640, 444 a unit.
  EXPECT_EQ(Count(svg, "class=\"bar s0\""), 3);
  EXPECT_THAT(svg, HasSubstr("class=\"bar s0\" x=\"284.8\" y=\"50\" width=\"266.4\""));
  EXPECT_THAT(svg, HasSubstr("class=\"bar s0\" x=\"284.8\" y=\"72\" width=\"177.6\""));
  EXPECT_THAT(svg, HasSubstr("class=\"bar s0\" x=\"284.8\" y=\"94\" width=\"0.0\""));
  EXPECT_THAT(svg, HasSubstr("class=\"whisker\" d=\"M506.8 53v8M506.8 57H595.6M595.6 53v8\""));
  EXPECT_THAT(svg, HasSubstr("d=\"M240.4 97v8M240.4 101H307.0M307.0 97v8\""));
  for (const char* tick : {">-20 %<", ">0 %<", ">20 %<", ">80 %<"})
    EXPECT_THAT(svg, HasSubstr(tick));
  EXPECT_THAT(svg, HasSubstr("60.000 % ± 10.000"));
  EXPECT_THAT(svg, HasSubstr("</svg>\n"));
}

TEST(HistogramChartTest, SaysWhatItShowsAndWhatIsGuaranteed) {
  const std::string svg = DrawHistogramChart(Colours(), Chart());
  EXPECT_THAT(svg,
              HasSubstr("<title>colours</title>\n<desc>Bars: share of 5000 reports, after pop"));
  EXPECT_THAT(svg, HasSubstr("the 95 % interval"));
  EXPECT_THAT(svg, HasSubstr("no unbiased estimate is off by more than 3.125 %"));
  EXPECT_THAT(svg, HasSubstr("Guarantee over the 7 submissions a device may make: epsilon 0.9877, "
                             "delta 1e-06 (tight"));
  EXPECT_THAT(svg, HasSubstr("If the shuffler colludes: epsilon 4.5, delta 0"));
  EXPECT_THAT(svg, HasSubstr("<title>red: 60 %, interval 50 % to 70 %</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("left out")));
  EXPECT_THAT(svg, Not(HasSubstr("truth")));
  v1::Answer warned = Colours();
  v1::QualityWarning* warning = warned.mutable_quality()->add_warnings();
  warning->set_kind("seeds");
  warning->set_text("Too many.");
  warned.mutable_guarantee()->clear_local_epsilon();
  warned.mutable_guarantee()->set_warning("So much is much.");
  const std::string other = DrawHistogramChart(warned, Chart());
  EXPECT_THAT(other, HasSubstr("Warning (seeds): Too many."));
  EXPECT_THAT(other, HasSubstr("Warning: So much is much."));
  EXPECT_THAT(other, HasSubstr("If the shuffler colludes: nothing is guaranteed"));
}

TEST(HistogramChartTest, SaysHowManyBinsAreLeftOut) {
  HistogramChart chart = Chart();
  chart.domain = 600;
  EXPECT_THAT(DrawHistogramChart(Colours(), chart),
              HasSubstr("3 of 600 bins are shown; 597 are left out"));
}

TEST(HistogramChartTest, MarksTheTruth) {
  HistogramChart chart = Chart();
  chart.truth = {0.5, 0.4, 0.1};
  const std::string svg = DrawHistogramChart(Colours(), chart);
  EXPECT_EQ(Count(svg, "class=\"mark s1\""), 3);
  EXPECT_THAT(svg, HasSubstr("interval 50 % to 70 %, truth 50 %"));
  EXPECT_THAT(svg, HasSubstr("Diamonds: the truth."));
}

TEST(HistogramChartTest, EscapesAndCutsNamesThatAreWholeInTheTooltip) {
  v1::Answer answer;
  const std::string hostile = "</text><script>alert(\"x\")</script>";
  AddBin(&answer, hostile, 1, 0.9, 1.1);
  HistogramChart chart = Chart();
  chart.title = "<a> & b";
  const std::string svg = DrawHistogramChart(answer, chart);
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;:"));
  EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;alert(&quot;x…</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>&lt;a&gt; &amp; b</title>"));
}

TEST(HistogramChartTest, GrowsWithItsRowsAndStandsAnEmptyAnswer) {
  v1::Answer answer;
  for (int i = 0; i < 50; ++i) AddBin(&answer, absl::StrCat("v", i), 0.02, 0.01, 0.03);
  // 46 above, 50 rows of 22, an axis of 40 and four notes of 17 below, five where there is a band.
  EXPECT_THAT(DrawHistogramChart(answer, {.domain = 50}), HasSubstr("viewBox=\"0 0 800 1254\""));
  answer.mutable_histogram()->set_max_error(0.02);
  EXPECT_THAT(DrawHistogramChart(answer, {.domain = 50}), HasSubstr("viewBox=\"0 0 800 1271\""));
  const std::string empty = DrawHistogramChart(v1::Answer(), {});
  EXPECT_THAT(empty, HasSubstr("</svg>"));
  EXPECT_THAT(empty, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace tombola::cli
