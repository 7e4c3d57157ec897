#include "common/json/strings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tombola {
namespace {

v1::FrequentStrings TwoStrings() {
  v1::FrequentStrings body;
  for (const char* const text : {"a,\"b\"", "caf\xc3\xa9\xff"}) body.add_values(text);
  for (const double number : {0.25, 0.125}) {
    body.add_frequencies(number);
    body.add_raw(number);
    body.add_standard_errors(0.5);
    body.add_low(number - 1);
    body.add_high(number + 1);
  }
  body.set_threshold(135.5);
  body.set_least_holders(130);
  body.set_false_strings(0.05);
  body.set_tests(1000);
  body.set_complete(true);
  body.set_moved_by_report(2.5);
  v1::StringLevel* const level = body.add_levels();
  level->set_candidates(7);
  level->set_needed(21);
  level->set_found(2);
  return body;
}

std::string Text(const v1::FrequentStrings& body, const std::vector<double>& truth) {
  std::string out;
  AppendStringsJson(body, truth, &out);
  return out;
}

TEST(StringsJsonTest, SaysTheStringsAndTheSearch) {
  EXPECT_EQ(Text(TwoStrings(), {0.5, 0}),
            "\"threshold\":135.5,\"least_holders\":130,\"false_strings\":0.05,\"tests\":1000,"
            "\"complete\":true,\"moved_by_report\":2.5,\"dictionary\":null,"
            "\"levels\":[{\"candidates\":7.0,\"needed\":21,\"found\":2}],"
            "\"bins\":[{\"value\":\"a,\\\"b\\\"\",\"frequency\":0.25,\"raw\":0.25,\"stderr\":0.5,"
            "\"low\":-0.75,\"high\":1.25,\"truth\":0.5},"
            "{\"value\":\"caf\xc3\xa9\xef\xbf\xbd\",\"frequency\":0.125,\"raw\":0.125,"
            "\"stderr\":0.5,\"low\":-0.875,\"high\":1.125,\"truth\":0.0}]");
}

TEST(StringsJsonTest, ASearchThatIsUnderWaySaysHowFarItIsAndNothingElse) {
  v1::FrequentStrings body;
  body.mutable_decoding()->set_level(2);
  body.mutable_decoding()->set_levels(3);
  body.mutable_decoding()->set_share(0.5);
  EXPECT_EQ(Text(body, {}), "\"decoding\":{\"ahead\":0,\"level\":2,\"levels\":3,\"share\":0.5}");
}

TEST(StringsJsonTest, RowsAreCsv) {
  v1::FrequentStrings body = TwoStrings();
  body.mutable_values()->RemoveLast();
  EXPECT_EQ(StringsCsv(body, {}),
            "value,frequency,raw,stderr,low,high\r\n\"a,\"\"b\"\"\",0.25,0.25,0.5,-0.75,1.25\r\n");
}

}  // namespace
}  // namespace tombola
