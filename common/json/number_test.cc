#include "common/json/number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "common/json/text.h"

namespace tombola {
namespace {

void SetEstimate(double value, v1::Estimate* estimate) {
  estimate->set_value(value);
  estimate->set_standard_error(0.5);
  estimate->set_low(value - 1);
  estimate->set_high(value + 1);
}

v1::Distribution TwoBinsOfNumbers() {
  v1::Distribution numbers;
  SetEstimate(400, numbers.mutable_count());
  SetEstimate(1, numbers.mutable_frequency());
  SetEstimate(2.5, numbers.mutable_mean());
  numbers.set_spread(0.25);
  numbers.add_fractions(0.1);
  numbers.add_fractions(1);
  SetEstimate(7, numbers.add_quantiles());
  for (const double low : {0.0, 0.5}) {
    numbers.add_low_edges(low);
    numbers.add_high_edges(low + 0.5);
    numbers.add_frequencies(0.5);
    numbers.add_raw(0.51);
    numbers.add_standard_errors(0.02);
    numbers.add_low(0.47);
    numbers.add_high(0.55);
  }
  numbers.set_counted("2 bins");
  return numbers;
}

Json NumbersJson(const v1::Distribution& numbers, const Truth& truth = {}) {
  std::string out = "{";
  AppendNumbersJson(numbers, truth, &out);
  return Json::parse(out + "}");
}

TEST(NumberJsonTest, HasEstimatesAsObjectsAndNullForWhatIsNotThere) {
  const Json json = NumbersJson(TwoBinsOfNumbers());
  EXPECT_EQ(json["where"], Json());
  EXPECT_EQ(json["count"],
            (Json{{"value", 400.0}, {"stderr", 0.5}, {"low", 399.0}, {"high", 401.0}}));
  EXPECT_EQ(json["mean"]["value"], 2.5);
  EXPECT_EQ(json["sum"], Json());
  EXPECT_EQ(json["spread"], 0.25);
  EXPECT_EQ(json["partial"], 0.0);
  EXPECT_EQ(json["quantiles"]["0.1"]["value"], 7.0);
  EXPECT_EQ(json["quantiles"]["1.0"], Json());
  EXPECT_EQ(json["counted"], "2 bins");
  ASSERT_EQ(json["bins"].size(), 2u);
  EXPECT_EQ(json["bins"][1], (Json{{"value", "0.5..1"},
                                   {"low_edge", 0.5},
                                   {"high_edge", 1.0},
                                   {"frequency", 0.5},
                                   {"raw", 0.51},
                                   {"stderr", 0.02},
                                   {"low", 0.47},
                                   {"high", 0.55}}));
}

TEST(NumberJsonTest, HasTheRangeThatWasAskedFor) {
  v1::Distribution numbers = TwoBinsOfNumbers();
  numbers.mutable_where()->set_low(-1);
  numbers.mutable_where()->set_high(0.5);
  EXPECT_EQ(NumbersJson(numbers)["where"], (Json{{"low", -1.0}, {"high", 0.5}}));
}

TEST(NumberJsonTest, HasTheTruthWhereItIsKnown) {
  Truth truth;
  truth.frequencies = {0.25, 0.75};
  truth.numbers = NumbersTruth{.count = 410, .mean = std::nan(""), .sum = 9, .quantiles = {6, 8}};
  const Json json = NumbersJson(TwoBinsOfNumbers(), truth);
  EXPECT_EQ(json["count"]["truth"], 410.0);
  EXPECT_EQ(json["mean"]["truth"], Json());
  EXPECT_EQ(json["quantiles"]["0.1"]["truth"], 6.0);
  EXPECT_EQ(json["bins"][1]["truth"], 0.75);
  EXPECT_THAT(NumbersCsv(TwoBinsOfNumbers(), truth), testing::HasSubstr(",high,truth\r\n"));
}

TEST(NumberJsonTest, HasBinsAsCsv) {
  EXPECT_EQ(NumbersCsv(TwoBinsOfNumbers(), {}),
            "value,low_edge,high_edge,frequency,raw,stderr,low,high\r\n"
            "0..0.5,0,0.5,0.5,0.51,0.02,0.47,0.55\r\n"
            "0.5..1,0.5,1,0.5,0.51,0.02,0.47,0.55\r\n");
}

TEST(NumberJsonTest, IsNoLongerThanIsSaid) {
  v1::Distribution numbers;
  const double longest = -2.2250738585072014e-308;
  for (int i = 0; i < 100; ++i) {
    numbers.add_fractions(1.2345678901234567e-300 * i);
    for (auto* column :
         {numbers.mutable_low_edges(), numbers.mutable_high_edges(), numbers.mutable_frequencies(),
          numbers.mutable_raw(), numbers.mutable_standard_errors(), numbers.mutable_low(),
          numbers.mutable_high()}) {
      column->Add(longest);
    }
    v1::Estimate* const quantile = numbers.add_quantiles();
    quantile->set_value(longest);
    quantile->set_standard_error(longest);
    quantile->set_low(longest);
    quantile->set_high(longest);
  }
  std::string out;
  AppendNumbersJson(numbers, {}, &out);
  EXPECT_LE(static_cast<int64_t>(out.size()), MostNumberText(100, 100));
}

}  // namespace
}  // namespace tombola
