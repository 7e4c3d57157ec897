#include "common/json/text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

namespace tombola {
namespace {

std::string Number(double number) {
  std::string out;
  AppendNumber(number, &out);
  return out;
}

std::string Text(absl::string_view text) {
  std::string out;
  AppendText(text, &out);
  return out;
}

TEST(AppendNumberTest, ReadsBackAsTheVerySameNumber) {
  for (const double number : {0.1, 1.0 / 3, 1e-300, -2.2250738585072014e-308, 123456789.0, 1e22,
                              std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(Number(number).c_str(), nullptr), number) << Number(number);
    EXPECT_TRUE(Json::parse(Number(number)).is_number_float()) << Number(number);
  }
  EXPECT_EQ(Number(0), "0.0");
  EXPECT_EQ(Number(-3), "-3.0");
  EXPECT_EQ(Number(0.25), "0.25");
}

TEST(AppendNumberTest, WhatIsNoNumberIsNull) {
  EXPECT_EQ(Number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(Number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(AppendTextTest, EscapesWhatHasToBe) {
  EXPECT_EQ(Text("plain / text"), "\"plain / text\"");
  EXPECT_EQ(Text(""), "\"\"");
  EXPECT_EQ(Text("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(Text("d\xc3\xa9j\xc3\xa0"), "\"d\xc3\xa9j\xc3\xa0\"");
  EXPECT_EQ(Text("\xff"), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace tombola
