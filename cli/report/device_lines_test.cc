#include "cli/report/device_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(HistogramValueTest, APlainLineIsTheValue) {
  for (const char* const line :
       {"red", "3", "", " spaced ", "[other]", "null", "grün", "a{b}\"c"}) {
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

TEST(HistogramValueTest, SaysWhatIsWrongWithJson) {
  for (const auto& [line, says] : {std::pair<const char*, const char*>{"{\"value\": ", "is none"},
                                   {"\"red", "is none"},
                                   {"{\"value\": \"red\"} x", "is none"},
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

TEST(DeviceLinesTest, LeavesOutWhatItCannotReadAndSaysWhere) {
  std::istringstream in("red\r\n{\"value\": 1.5}\n{\"value\": \"blue\"}\n{\n\"green\"");
  DeviceLines lines(in);
  Devices devices = lines.Next(2);
  EXPECT_THAT(devices.values, ElementsAre("red", "blue"));
  EXPECT_THAT(devices.lines, ElementsAre(1, 3));
  devices = lines.Next(2);
  EXPECT_THAT(devices.values, ElementsAre("green"));
  EXPECT_THAT(devices.lines, ElementsAre(5));
  EXPECT_THAT(lines.Next(2).values, IsEmpty());
  EXPECT_EQ(lines.bad(), 2);
  EXPECT_THAT(lines.complaints(),
              ElementsAre(HasSubstr("line 2: value must be"), HasSubstr("line 4: it begins")));
}

TEST(DeviceLinesTest, GoesOnBehindManyBadLinesAndTellsOfTheFirst) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\n";
  std::istringstream in(text + "red\n");
  DeviceLines lines(in);
  EXPECT_THAT(lines.Next(1000).lines, ElementsAre(5001));
  EXPECT_EQ(lines.bad(), 5000);
  EXPECT_EQ(lines.complaints().size(), kMostComplaints);
}

}  // namespace
}  // namespace tombola::cli
