#include "common/json/histogram.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json/text.h"

namespace tombola {
namespace {

v1::Histogram TwoBins() {
  v1::Histogram histogram;
  for (const uint64_t value : {uint64_t{4}, uint64_t{2}}) histogram.add_values(value);
  for (const double x : {0.75, 0.25}) {
    histogram.add_frequencies(x);
    histogram.add_raw(x + 0.01);
    histogram.add_standard_errors(0.02);
    histogram.add_low(x - 0.03);
    histogram.add_high(x + 0.05);
  }
  return histogram;
}

// The body's members as an object.
std::string Text(const v1::Histogram& histogram, const std::vector<double>& truth = {}) {
  std::string out = "{";
  AppendHistogramJson(histogram, truth, &out);
  return out + "}";
}

Json Parsed(const v1::Histogram& histogram) { return Json::parse(Text(histogram)); }

TEST(HistogramJsonTest, HasOneObjectForEachBinInTheirOrder) {
  const Json bins = Parsed(TwoBins())["bins"];
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_EQ(bins[0], (Json{{"value", 4},
                           {"frequency", 0.75},
                           {"raw", 0.76},
                           {"stderr", 0.02},
                           {"low", 0.72},
                           {"high", 0.8}}));
  EXPECT_EQ(bins[1]["value"], 2);
  EXPECT_EQ(bins[1]["frequency"], 0.25);
}

TEST(HistogramJsonTest, HasTheBandForAllBins) {
  v1::Histogram histogram = TwoBins();
  histogram.set_max_error(0.0625);
  EXPECT_EQ(Parsed(histogram)["max_error"], 0.0625);
}

TEST(HistogramJsonTest, NamesValuesByTheirLabels) {
  v1::Histogram histogram = TwoBins();
  *histogram.add_labels() = "four";
  *histogram.add_labels() = "two";
  const Json bins = Parsed(histogram)["bins"];
  EXPECT_EQ(bins[0]["value"], "four");
  EXPECT_EQ(bins[1]["value"], "two");
}

TEST(HistogramJsonTest, IsWrittenAsJsonWritesIt) {
  v1::Histogram histogram = TwoBins();
  *histogram.add_labels() = "say \"no\"\n";
  *histogram.add_labels() = "d\xc3\xa9j\xc3\xa0";
  histogram.set_frequencies(0, 0);
  histogram.set_raw(0, -1e-7);
  EXPECT_EQ(Text(histogram), ToText(Parsed(histogram)));
}

TEST(HistogramJsonTest, TakesTheTruth) {
  EXPECT_EQ(Json::parse(Text(TwoBins(), {0.5, 0.125}))["bins"][1]["truth"], 0.125);
}

v1::Histogram Ranked() {
  v1::Histogram histogram = TwoBins();
  v1::Ranking* const ranking = histogram.mutable_ranking();
  ranking->set_top(2);
  ranking->set_sure(1);
  ranking->set_possible(9);
  ranking->set_held(3);
  for (const double low : {0.5, 0.0}) ranking->add_low(low);
  for (const double high : {0.875, 0.5}) ranking->add_high(high);
  for (const uint64_t best : {1u, 2u}) ranking->add_best(best);
  for (const uint64_t worst : {1u, 9u}) ranking->add_worst(worst);
  return histogram;
}

TEST(HistogramJsonTest, HasThePlacesOfTheLargestWhereTheyAreKnown) {
  EXPECT_FALSE(Parsed(TwoBins()).contains("ranking"));
  const Json ranking = Parsed(Ranked())["ranking"];
  EXPECT_EQ(ranking["top"], 2);
  EXPECT_EQ(ranking["sure"], 1);
  EXPECT_EQ(ranking["possible"], 9);
  EXPECT_EQ(ranking["held"], 3);
  EXPECT_EQ(ranking["places"], Json({Json{{"best", 1}, {"worst", 1}, {"low", 0.5}, {"high", 0.875}},
                                     Json{{"best", 2}, {"worst", 9}, {"low", 0}, {"high", 0.5}}}));
  EXPECT_EQ(Text(Ranked()), ToText(Parsed(Ranked())));
}

TEST(SortTest, PlacesGoWithTheirRows) {
  v1::Histogram histogram = Ranked();
  Sort(BinOrder::kValue, histogram);
  const Json places = Parsed(histogram)["ranking"]["places"];
  EXPECT_EQ(places[0]["worst"], 9);
  EXPECT_EQ(places[0]["high"], 0.5);
  EXPECT_EQ(places[1]["worst"], 1);
  EXPECT_EQ(places[1]["low"], 0.5);
}

TEST(HistogramJsonTest, AnEmptyAnswerHasAnEmptyListOfBins) {
  EXPECT_EQ(Parsed(v1::Histogram())["bins"], Json::array());
}

TEST(HistogramCsvTest, HasALineOfNamesAndALineForEachBin) {
  EXPECT_EQ(HistogramCsv(TwoBins(), {}),
            "value,frequency,raw,stderr,low,high\r\n"
            "4,0.75,0.76,0.02,0.72,0.8\r\n"
            "2,0.25,0.26,0.02,0.22,0.3\r\n");
  EXPECT_EQ(HistogramCsv(v1::Histogram(), {}), "value,frequency,raw,stderr,low,high\r\n");
}

TEST(HistogramCsvTest, QuotesLabelsAndAddsTheTruth) {
  v1::Histogram histogram = TwoBins();
  *histogram.add_labels() = "four, \"4\"";
  *histogram.add_labels() = "two";
  EXPECT_EQ(HistogramCsv(histogram, {0.5, 0.125}),
            "value,frequency,raw,stderr,low,high,truth\r\n"
            "\"four, \"\"4\"\"\",0.75,0.76,0.02,0.72,0.8,0.5\r\n"
            "two,0.25,0.26,0.02,0.22,0.3,0.125\r\n");
}

TEST(SortTest, MovesWholeRows) {
  v1::Histogram histogram = TwoBins();
  *histogram.add_labels() = "four";
  *histogram.add_labels() = "two";
  const Json largest_first = Parsed(histogram)["bins"];
  Sort(BinOrder::kValue, histogram);
  const Json by_value = Parsed(histogram)["bins"];
  EXPECT_EQ(by_value[0], largest_first[1]);
  EXPECT_EQ(by_value[1], largest_first[0]);
  EXPECT_EQ(by_value[0]["value"], "two");
  Sort(BinOrder::kFrequency, histogram);
  EXPECT_EQ(Parsed(histogram)["bins"], largest_first);
}

TEST(SortTest, LeavesWhatIsEqualInTheDomainsOrder) {
  v1::Histogram histogram = TwoBins();
  histogram.set_frequencies(0, 0.25);
  Sort(BinOrder::kFrequency, histogram);
  EXPECT_EQ(histogram.values(0), 2u);
  v1::Histogram empty;
  Sort(BinOrder::kFrequency, empty);
  EXPECT_EQ(empty.values_size(), 0);
}

TEST(MostHistogramTextTest, IsAtLeastWhatTheLongestNumbersTake) {
  v1::Histogram histogram = TwoBins();
  for (auto* column :
       {histogram.mutable_frequencies(), histogram.mutable_raw(),
        histogram.mutable_standard_errors(), histogram.mutable_low(), histogram.mutable_high()}) {
    for (double& number : *column) number = -2.2250738585072014e-308;
  }
  for (const char* const label : {"a", "\x01\x02"}) *histogram.add_labels() = label;
  const int64_t most = MostHistogramText(2, 3);
  EXPECT_LE(static_cast<int64_t>(Text(histogram).size()), most);
  EXPECT_LE(static_cast<int64_t>(HistogramCsv(histogram, {}).size()), most);
}

}  // namespace
}  // namespace tombola
