#include "cli/report/histogram_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/status/status.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

TEST(HistogramValueTest, APlainLineIsTheValue) {
  for (const char* const line : {"red", "3", "", " spaced ", "null", "grün", "a{b}\"c", "a [b]"}) {
    EXPECT_EQ(HistogramValue(line).value(), line);
  }
}

TEST(HistogramValueTest, ReadsJson) {
  EXPECT_EQ(HistogramValue(R"("red")").value(), "red");
  EXPECT_EQ(HistogramValue(R"({"value": "red"})").value(), "red");
  EXPECT_EQ(HistogramValue(R"({"value": 3})").value(), "3");
  EXPECT_EQ(HistogramValue(R"("{\"a\"}")").value(), "{\"a\"}");
  EXPECT_EQ(HistogramValue(R"({"value":"gr\u00fcn, \"two\"\nlines"})").value(),
            "grün, \"two\"\nlines");
}

TEST(HistogramValueTest, BlanksBeforeJsonMakeItNoPlainValue) {
  EXPECT_EQ(HistogramValue(" \t{\"value\": \"red\"} ").value(), "red");
  EXPECT_EQ(HistogramValue("  \"red\"").value(), "red");
  EXPECT_TRUE(absl::IsInvalidArgument(HistogramValue("  {red}").status()));
}

TEST(HistogramValueTest, SaysWhatIsWrongWithJson) {
  for (const auto& [line, says] : {std::pair<const char*, const char*>{"{\"value\": ", "is none"},
                                   {"\"red", "is none"},
                                   {"{\"value\": \"red\"} x", "is none"},
                                   {"[other]", "is none"},
                                   {"[\"red\"]", "not a list"},
                                   {" [1, 2]", "not a list"},
                                   {"{}", "the member value"},
                                   {"{\"valeu\": \"red\"}", "the member value and no other"},
                                   {"{\"value\": 1, \"x\": 2}", "no other"},
                                   {"{\"value\": 1.5}", "a text or a whole number"},
                                   {"{\"value\": null}", "a text or a whole number"},
                                   {"{\"value\": [1]}", "a text or a whole number"}}) {
    const auto value = HistogramValue(line);
    EXPECT_TRUE(absl::IsInvalidArgument(value.status())) << line;
    EXPECT_THAT(std::string(value.status().message()), HasSubstr(says)) << line;
  }
}

}  // namespace
}  // namespace tombola::cli
