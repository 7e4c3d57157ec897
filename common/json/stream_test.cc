#include "common/json/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/json/answer.h"

namespace tombola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void AddWeek(uint64_t last, double red, v1::StreamTotals* body) {
  v1::StreamTotal* const total = body->add_totals();
  total->set_first(1);
  total->set_last(last);
  total->set_submissions(100 * last);
  total->mutable_shares()->set_max_error(0.25);
  const auto add = [&](uint64_t value, const char* name, double share) {
    v1::Histogram* const shares = total->mutable_shares();
    shares->add_values(value);
    shares->add_labels(name);
    shares->add_frequencies(share);
    shares->add_raw(share);
    shares->add_standard_errors(0.5);
    shares->add_low(share - 1);
    shares->add_high(share + 1);
    total->add_counts(100 * share);
    total->add_count_standard_errors(50);
    total->add_count_low(100 * share - 100);
    total->add_count_high(100 * share + 100);
  };
  add(0, "blue, or so", 1 - red);
  add(1, "red", red);
}

v1::Answer AnswerOf(int totals) {
  v1::Answer answer;
  v1::StreamTotals* const body = answer.mutable_stream();
  body->set_counted("plain, 1 node over a period at most");
  body->add_void_nodes(3);
  for (int i = 1; i <= totals; ++i) AddWeek(static_cast<uint64_t>(i), 0.125 * i, body);
  return answer;
}

Json ParsedBody(const v1::Answer& answer, const Truth& truth = {}) {
  return Json::parse(AnswerJson(answer, truth));
}

TEST(StreamJsonTest, PairsHaveSizesAndMeans) {
  v1::Answer answer = AnswerOf(2);
  for (v1::StreamTotal& total : *answer.mutable_stream()->mutable_totals()) {
    total.mutable_sizes()->add_shares(1);
    total.mutable_sizes()->set_full(0.5);
    for (const double mean : {2.5, std::nan("")}) {
      total.add_means(mean);
      total.add_mean_standard_errors(mean);
      total.add_mean_low(mean);
      total.add_mean_high(mean);
    }
  }
  const Json series = ParsedBody(answer)["series"];
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[1]["full"], 0.5);
  EXPECT_EQ(series[1]["bins"][0]["mean"], 2.5);
  EXPECT_TRUE(series[1]["bins"][1]["mean"].is_null());
  const std::string csv = StreamCsv(answer.stream(), {});
  EXPECT_THAT(csv, HasSubstr(",count_high,mean,mean_stderr,mean_low,mean_high\r\n"));
  EXPECT_THAT(csv, HasSubstr(",2.5,2.5,2.5,2.5\r\n"));
  EXPECT_THAT(csv, HasSubstr(",,,,\r\n"));
}

TEST(StreamJsonTest, NumbersAreTheirOwnAnswer) {
  v1::Answer answer;
  v1::StreamTotals* const body = answer.mutable_stream();
  for (const bool counted : {false, true}) {
    v1::StreamTotal* const total = body->add_totals();
    total->set_first(1);
    total->set_last(counted ? 2 : 1);
    total->mutable_number();
    if (!counted) continue;
    total->set_submissions(100);
    total->mutable_number()->mutable_mean()->set_value(2.5);
    total->mutable_number()->add_fractions(0.5);
    total->mutable_number()->add_quantiles()->set_value(3);
  }
  const Json series = ParsedBody(answer)["series"];
  EXPECT_TRUE(series[0]["number"]["mean"].is_null());
  EXPECT_EQ(series[1]["number"]["mean"]["value"], 2.5);
  EXPECT_EQ(series[1]["number"]["quantiles"]["0.5"]["value"], 3);
  const std::string csv = StreamCsv(*body, {});
  EXPECT_THAT(csv, HasSubstr(",sum_high,q0.5,q0.5_stderr,q0.5_low,q0.5_high\r\n"));
  EXPECT_THAT(csv, HasSubstr("1,2,100,,,,,,,2.5,0,0,0,,,,,3,0,0,0\r\n"));
}

TEST(StreamJsonTest, OneTotalIsAHistogramWithCounts) {
  v1::Answer answer = AnswerOf(1);
  v1::PeriodRun* const run = answer.mutable_stream()->mutable_totals(0)->add_missing();
  run->set_first(3);
  run->set_last(5);
  const Json json = ParsedBody(answer);
  EXPECT_EQ(json["kind"], "stream");
  EXPECT_EQ(json["submissions"], 100);
  EXPECT_EQ(json["missing"].dump(), R"([{"first":3,"last":5}])");
  EXPECT_EQ(json["strange"], Json::array());
  EXPECT_EQ(json["max_error"], 0.25);
  EXPECT_EQ(json["void_nodes"].dump(), "[3]");
  EXPECT_EQ(json["counted"], "plain, 1 node over a period at most");
  EXPECT_FALSE(json.contains("series"));
  ASSERT_EQ(json["bins"].size(), 2u);
  EXPECT_EQ(json["bins"][1].dump(),
            R"({"value":"red","frequency":0.125,"raw":0.125,"stderr":0.5,"low":-0.875,)"
            R"("high":1.125,"count":12.5,"count_stderr":50.0,"count_low":-87.5,)"
            R"("count_high":112.5})");
  EXPECT_EQ(ParsedBody(answer, {.frequencies = {0.5, 0.25}})["bins"][1]["truth"], 0.25);
}

TEST(StreamJsonTest, SeveralTotalsAreASeries) {
  const Json json = ParsedBody(AnswerOf(3));
  EXPECT_FALSE(json.contains("bins"));
  ASSERT_EQ(json["series"].size(), 3u);
  EXPECT_EQ(json["series"][2]["periods"].dump(), R"({"first":1,"last":3})");
  EXPECT_EQ(json["series"][2]["bins"][1]["frequency"], 0.375);
  EXPECT_EQ(json["void_nodes"].dump(), "[3]");
}

TEST(StreamJsonTest, ASeriesOfOneCanStandBesideItsTotal) {
  const v1::Answer answer = AnswerOf(1);
  const Json json = Json::parse(AnswerJson(answer, {}, SeriesOfOne(answer.stream())));
  ASSERT_EQ(json["series"].size(), 1u);
  EXPECT_EQ(json["series"][0]["bins"], json["bins"]);
  EXPECT_EQ(SeriesOfOne(AnswerOf(2).stream()), Json::object());
  EXPECT_EQ(SeriesOfOne(v1::StreamTotals()), Json::object());
}

TEST(StreamJsonTest, NothingHasNoBins) {
  v1::Answer answer = AnswerOf(1);
  answer.mutable_stream()->mutable_totals(0)->clear_shares();
  answer.mutable_stream()->mutable_totals(0)->set_submissions(0);
  const Json json = ParsedBody(answer);
  EXPECT_EQ(json["bins"], Json::array());
  EXPECT_TRUE(json["max_error"].is_null());
}

TEST(PeriodFromTextTest, IsANumberFromOneOn) {
  EXPECT_EQ(PeriodFromText("1"), 1u);
  EXPECT_EQ(PeriodFromText("1099511627776"), uint64_t{1} << 40);
  for (const char* const text :
       {"", "0", "-1", "+1", "1.5", " 1", "2026-11-17", "10995116277760", "x"}) {
    EXPECT_FALSE(PeriodFromText(text).has_value()) << text;
  }
}

TEST(StreamCsvTest, HasALineForEachRowOfEachTotal) {
  const std::string csv = AnswerCsv(AnswerOf(2));
  EXPECT_THAT(
      csv, HasSubstr("first,last,submissions,missing,strange,value,frequency,raw,stderr,low,high,"
                     "count,count_stderr,count_low,count_high\r\n"
                     "1,1,100,,,\"blue, or so\",0.875,0.875,0.5,-0.125,1.875,87.5,50,-12.5,"
                     "187.5\r\n1,1,100,,,red,"));
  EXPECT_THAT(csv, HasSubstr("\r\n1,2,200,,,red,0.25,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST(StreamCsvTest, EachRowNamesThePeriodsThatItsTotalLacks) {
  v1::Answer answer = AnswerOf(2);
  v1::StreamTotal* const total = answer.mutable_stream()->mutable_totals(1);
  const auto add = [](uint64_t first, uint64_t last, v1::PeriodRun* run) {
    run->set_first(first);
    run->set_last(last);
  };
  add(2, 3, total->add_missing());
  add(5, 5, total->add_missing());
  add(1, 1, total->add_strange());
  EXPECT_THAT(AnswerCsv(answer), HasSubstr("\r\n1,2,200,2-3;5,1,red,"));
  for (uint64_t run = 0; run < 2000; ++run) {
    add(2 * run + 1001, 2 * run + 1001, total->add_strange());
  }
  const std::string csv = AnswerCsv(answer);
  EXPECT_THAT(csv, HasSubstr(",1;1001;"));
  EXPECT_THAT(csv, HasSubstr(";1029;...,red,"));
}

TEST(StreamSortTest, AllTotalsFollowTheLast) {
  v1::Answer answer = AnswerOf(6);
  Sort(BinOrder::kFrequency, *answer.mutable_stream());
  for (const v1::StreamTotal& total : answer.stream().totals()) {
    EXPECT_THAT(total.shares().values(), ElementsAre(1, 0)) << total.last();
    EXPECT_EQ(total.counts(0), 100 * total.shares().frequencies(0));
  }
  Sort(BinOrder::kValue, *answer.mutable_stream());
  EXPECT_EQ(answer.SerializeAsString(), AnswerOf(6).SerializeAsString());
}

TEST(StreamJsonTest, TheTextIsNoLongerThanWasSaid) {
  for (const int totals : {1, 40}) {
    v1::Answer answer = AnswerOf(totals);
    std::string body;
    AppendStreamJson(answer.stream(), {}, &body);
    const int64_t labels = static_cast<int64_t>(std::string("blue, or sored").size());
    EXPECT_LT(static_cast<int64_t>(body.size()), MostStreamText(totals, 2, labels));
    EXPECT_LT(static_cast<int64_t>(StreamCsv(answer.stream(), {}).size()),
              MostStreamText(totals, 2, labels));
  }
}

}  // namespace
}  // namespace tombola
