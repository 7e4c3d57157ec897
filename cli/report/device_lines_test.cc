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

TEST(DeviceLinesTest, LeavesOutAByteOrderMarkAndLinesOfBlanks) {
  std::istringstream in("\xEF\xBB\xBF{\"value\": 1}\n\n \t\r\nred\n\xEF\xBB\xBFred\n\n");
  DeviceLines lines(in);
  const Devices devices = lines.Next(10);
  EXPECT_THAT(devices.values, ElementsAre("1", "red", "\xEF\xBB\xBFred"));
  EXPECT_THAT(devices.lines, ElementsAre(1, 4, 5));
  EXPECT_EQ(lines.bad(), 0);
}

TEST(DeviceLinesTest, AMarkAloneIsNoDevice) {
  std::istringstream in("\xEF\xBB\xBF\n");
  EXPECT_THAT(DeviceLines(in).Next(10).values, IsEmpty());
}

TEST(DeviceLinesTest, GoesOnBehindManyBadLinesAndTellsOfTheFirst) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\n";
  std::istringstream in(text + "red\n");
  DeviceLines lines(in);
  EXPECT_THAT(lines.Next(1000).lines, ElementsAre(5001));
  EXPECT_EQ(lines.bad(), 5000);
  EXPECT_EQ(lines.complaints().size(), kMostComplaints);
  ManyOutcome outcome;
  outcome.rejected = 2;
  outcome.outside = {7};
  const std::vector<std::string> not_sent = NotSent(lines, outcome);
  ASSERT_EQ(not_sent.size(), kMostComplaints + 2);
  EXPECT_EQ(not_sent[kMostComplaints], "line 7: it is not among the task's values");
  EXPECT_EQ(not_sent.back(), "and 4991 more");
}

TEST(DeviceLinesTest, SaysNothingOfMoreWhereEveryLineIsNamed) {
  std::istringstream in("{\n");
  DeviceLines lines(in);
  lines.Next(10);
  ManyOutcome outcome;
  outcome.rejected = 1;
  outcome.outside = {3};
  EXPECT_THAT(NotSent(lines, outcome), ElementsAre(HasSubstr("line 1:"), HasSubstr("line 3:")));
  EXPECT_THAT(NotSent(lines, {}), ElementsAre(HasSubstr("line 1:")));
}

}  // namespace
}  // namespace tombola::cli
