#include "common/json/histogram.h"

#include <gtest/gtest.h>

#include <string>

namespace tombola {
namespace {

v1::Histogram Answer() {
  v1::Histogram histogram;
  histogram.set_task_id(std::string(32, '\xab'));
  for (const uint64_t value : {uint64_t{4}, uint64_t{2}}) histogram.add_values(value);
  for (const double x : {0.75, 0.25}) {
    histogram.add_frequencies(x);
    histogram.add_raw(x + 0.01);
    histogram.add_standard_errors(0.02);
    histogram.add_low(x - 0.03);
    histogram.add_high(x + 0.05);
  }
  histogram.set_submissions(1000);
  histogram.set_reports(1234);
  histogram.set_fakes(34);
  histogram.mutable_rejected()->set_unopened(1);
  histogram.mutable_rejected()->set_malformed(20);
  histogram.mutable_rejected()->set_out_of_range(300);
  v1::Guarantee* guarantee = histogram.mutable_guarantee();
  guarantee->set_epsilon(2);
  guarantee->set_delta(1e-5);
  guarantee->set_local_epsilon(6);
  guarantee->set_users(400);
  guarantee->set_method("tight");
  guarantee->set_batches(2);
  guarantee->set_submissions_per_device(2);
  guarantee->set_batch_epsilon(1);
  guarantee->set_dishonest_share(0.1);
  guarantee->set_epsilon_foreign_10(1.5);
  guarantee->set_epsilon_foreign_50(2.5);
  v1::Quality* quality = histogram.mutable_quality();
  *quality->mutable_refused() = histogram.rejected();
  quality->set_duplicates(17);
  quality->set_shift_per_dishonest(0.002);
  quality->set_dishonest(100);
  quality->set_shift_at_dishonest_share(0.2);
  v1::QualityWarning* warning = quality->add_warnings();
  warning->set_kind("seeds");
  warning->set_text("Too many.");
  return histogram;
}

Json Parsed(const v1::Histogram& histogram) { return Json::parse(HistogramJson(histogram)); }

TEST(HistogramJsonTest, SaysWhatTheAnswerIsWorth) {
  const Json quality = Parsed(Answer())["quality"];
  EXPECT_EQ(quality["refused"], (Json{{"unopened", 1}, {"malformed", 20}, {"out_of_range", 300}}));
  EXPECT_EQ(quality["duplicates"], 17);
  EXPECT_EQ(quality["shift_per_dishonest"], 0.002);
  EXPECT_EQ(quality["dishonest"], 100);
  EXPECT_EQ(quality["shift_at_dishonest_share"], 0.2);
  EXPECT_EQ(quality["warnings"], (Json::array({Json{{"kind", "seeds"}, {"text", "Too many."}}})));
}

TEST(HistogramJsonTest, HasTheMembersThatScriptsRelyOn) {
  const Json json = Parsed(Answer());
  std::string id;
  for (int i = 0; i < 32; ++i) id += "ab";
  EXPECT_EQ(json["task"], id);
  EXPECT_EQ(json["reports"], 1000);
  EXPECT_EQ(json["messages"], 1234);
  EXPECT_EQ(json["fakes"], 34);
  EXPECT_EQ(json["rejected"], 321);
  EXPECT_EQ(json["rejected_by_cause"],
            (Json{{"unopened", 1}, {"malformed", 20}, {"out_of_range", 300}}));
  const Json& guarantee = json["guarantee"];
  EXPECT_EQ(guarantee["epsilon"], 2.0);
  EXPECT_EQ(guarantee["delta"], 1e-5);
  EXPECT_EQ(guarantee["local_epsilon"], 6.0);
  EXPECT_EQ(guarantee["users"], 400);
  EXPECT_EQ(guarantee["method"], "tight");
  EXPECT_EQ(guarantee["batches"], 2);
  EXPECT_EQ(guarantee["submissions_per_device"], 2);
  EXPECT_EQ(guarantee["batch_epsilon"], 1.0);
  EXPECT_EQ(guarantee["dishonest"], 0.1);
  EXPECT_EQ(guarantee["epsilon_foreign_10"], 1.5);
  EXPECT_EQ(guarantee["epsilon_foreign_50"], 2.5);
}

TEST(HistogramJsonTest, HasOneObjectForEachBinInTheirOrder) {
  const Json bins = Parsed(Answer())["bins"];
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

TEST(HistogramJsonTest, NamesValuesByTheirLabels) {
  v1::Histogram histogram = Answer();
  *histogram.add_labels() = "four";
  *histogram.add_labels() = "two";
  const Json bins = Parsed(histogram)["bins"];
  EXPECT_EQ(bins[0]["value"], "four");
  EXPECT_EQ(bins[1]["value"], "two");
}

TEST(HistogramJsonTest, IsWrittenAsJsonWritesIt) {
  v1::Histogram histogram = Answer();
  *histogram.add_labels() = "say \"no\"\n";
  *histogram.add_labels() = "d\xc3\xa9j\xc3\xa0";
  histogram.set_frequencies(0, 0);
  histogram.set_raw(0, -1e-7);
  EXPECT_EQ(HistogramJson(histogram), ToText(Parsed(histogram)));
}

TEST(HistogramJsonTest, TakesTheTruthAndFurtherMembers) {
  const Json json = Json::parse(HistogramJson(Answer(), {0.5, 0.125}, {{"accepted", 7}}));
  EXPECT_EQ(json["bins"][1]["truth"], 0.125);
  EXPECT_EQ(json["accepted"], 7);
}

TEST(HistogramJsonTest, NoLocalEpsilonIsNull) {
  v1::Histogram histogram = Answer();
  histogram.mutable_guarantee()->clear_local_epsilon();
  EXPECT_TRUE(Parsed(histogram)["guarantee"]["local_epsilon"].is_null());
}

TEST(HistogramJsonTest, AnEmptyAnswerHasAnEmptyListOfBins) {
  EXPECT_EQ(Parsed(v1::Histogram())["bins"], Json::array());
}

TEST(HistogramCsvTest, HasALineOfNamesAndALineForEachBin) {
  EXPECT_EQ(HistogramCsv(Answer()),
            "value,frequency,raw,stderr,low,high\r\n"
            "4,0.75,0.76,0.02,0.72,0.8\r\n"
            "2,0.25,0.26,0.02,0.22,0.3\r\n");
  EXPECT_EQ(HistogramCsv(v1::Histogram()), "value,frequency,raw,stderr,low,high\r\n");
}

TEST(HistogramCsvTest, QuotesLabelsAndAddsTheTruth) {
  v1::Histogram histogram = Answer();
  *histogram.add_labels() = "four, \"4\"";
  *histogram.add_labels() = "two";
  EXPECT_EQ(HistogramCsv(histogram, {0.5, 0.125}),
            "value,frequency,raw,stderr,low,high,truth\r\n"
            "\"four, \"\"4\"\"\",0.75,0.76,0.02,0.72,0.8,0.5\r\n"
            "two,0.25,0.26,0.02,0.22,0.3,0.125\r\n");
}

TEST(SortTest, MovesWholeRows) {
  v1::Histogram histogram = Answer();
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
  v1::Histogram histogram = Answer();
  histogram.set_frequencies(0, 0.25);
  Sort(BinOrder::kFrequency, histogram);
  EXPECT_EQ(histogram.values(0), 2u);
  v1::Histogram empty;
  Sort(BinOrder::kFrequency, empty);
  EXPECT_EQ(empty.values_size(), 0);
}

TEST(MostTextBytesTest, IsAtLeastWhatTheLongestNumbersTake) {
  v1::Histogram histogram = Answer();
  for (auto* column :
       {histogram.mutable_frequencies(), histogram.mutable_raw(),
        histogram.mutable_standard_errors(), histogram.mutable_low(), histogram.mutable_high()}) {
    for (double& number : *column) number = -2.2250738585072014e-308;
  }
  for (const char* const label : {"a", "\x01\x02"}) *histogram.add_labels() = label;
  const int64_t head = static_cast<int64_t>(HistogramJson(v1::Histogram()).size());
  const int64_t most = MostTextBytes(2, 3);
  EXPECT_LE(static_cast<int64_t>(HistogramJson(histogram).size()), most + head);
  EXPECT_LE(static_cast<int64_t>(HistogramCsv(histogram).size()), most);
}

}  // namespace
}  // namespace tombola
