#include "cli/report/device_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/report/histogram_line.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DeviceLinesTest, LeavesOutWhatItCannotReadAndSaysWhere) {
  std::istringstream in("red\r\n{\"value\": 1.5}\n{\"value\": \"blue\"}\n{\n\"green\"");
  DeviceLines lines(in, &HistogramRecord);
  Devices devices = lines.Next(2);
  EXPECT_THAT(devices.values, ElementsAre(Record(std::string("red")), Record(std::string("blue"))));
  EXPECT_THAT(devices.lines, ElementsAre(1, 3));
  devices = lines.Next(2);
  EXPECT_THAT(devices.values, ElementsAre(Record(std::string("green"))));
  EXPECT_THAT(devices.lines, ElementsAre(5));
  EXPECT_THAT(lines.Next(2).values, IsEmpty());
  EXPECT_EQ(lines.bad(), 2);
  EXPECT_THAT(NotSent(lines, {}),
              ElementsAre(HasSubstr("line 2: value must be"), HasSubstr("line 4: it begins")));
}

TEST(DeviceLinesTest, LeavesOutAByteOrderMarkAndLinesOfBlanks) {
  std::istringstream in("\xEF\xBB\xBF{\"value\": 1}\n\n \t\r\nred\n\xEF\xBB\xBFred\n\n");
  DeviceLines lines(in, &HistogramRecord);
  const Devices devices = lines.Next(10);
  EXPECT_THAT(devices.values, ElementsAre(Record(std::string("1")), Record(std::string("red")),
                                          Record(std::string("\xEF\xBB\xBFred"))));
  EXPECT_THAT(devices.lines, ElementsAre(1, 4, 5));
  EXPECT_EQ(lines.bad(), 0);
}

TEST(DeviceLinesTest, AMarkAloneIsNoDevice) {
  std::istringstream in("\xEF\xBB\xBF\n");
  EXPECT_THAT(DeviceLines(in, &HistogramRecord).Next(10).values, IsEmpty());
}

TEST(DeviceLinesTest, GoesOnBehindManyBadLinesAndTellsOfTheFirst) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "{\n";
  std::istringstream in(text + "red\n");
  DeviceLines lines(in, &HistogramRecord);
  EXPECT_THAT(lines.Next(1000).lines, ElementsAre(5001));
  EXPECT_EQ(lines.bad(), 5000);
  EXPECT_EQ(lines.complaints().size(), kMostComplaints);
  ManyOutcome outcome;
  outcome.rejected = 2;
  outcome.outside = {{.line = 5001, .why = "no such value"}};
  const std::vector<std::string> not_sent = NotSent(lines, outcome);
  ASSERT_EQ(not_sent.size(), kMostComplaints + 1);
  EXPECT_THAT(not_sent[kMostComplaints - 1], HasSubstr("line 10: "));
  EXPECT_EQ(not_sent.back(), "and 4992 more");
}

TEST(DeviceLinesTest, NamesLinesInTheOrderOfTheFileWhateverIsWrongWithThem) {
  std::istringstream in("purple\n{\nred\npink\n[\n");
  DeviceLines lines(in, &HistogramRecord);
  lines.Next(10);
  ManyOutcome outcome;
  outcome.rejected = 2;
  outcome.outside = {{.line = 1, .why = "no purple"}, {.line = 4, .why = "no pink"}};
  EXPECT_THAT(NotSent(lines, outcome),
              ElementsAre("line 1: no purple", HasSubstr("line 2: it begins"), "line 4: no pink",
                          HasSubstr("line 5: it begins")));
}

TEST(DeviceLinesTest, ReadsWhatTheKindsReaderReads) {
  std::istringstream in("a b\nx\n");
  DeviceLines lines(in, [](absl::string_view line) -> absl::StatusOr<Record> {
    if (line == "x") return absl::InvalidArgumentError("no x");
    return absl::StrCat("<", line, ">");
  });
  EXPECT_THAT(lines.Next(10).values, ElementsAre(Record(std::string("<a b>"))));
  EXPECT_THAT(NotSent(lines, {}), ElementsAre("line 2: no x"));
}

TEST(DeviceLinesTest, SaysNothingOfMoreWhereEveryLineIsNamed) {
  std::istringstream in("{\n");
  DeviceLines lines(in, &HistogramRecord);
  lines.Next(10);
  ManyOutcome outcome;
  outcome.rejected = 1;
  outcome.outside = {{.line = 3, .why = "no such value"}};
  EXPECT_THAT(NotSent(lines, outcome), ElementsAre(HasSubstr("line 1:"), HasSubstr("line 3:")));
  EXPECT_THAT(NotSent(lines, {}), ElementsAre(HasSubstr("line 1:")));
}

}  // namespace
}  // namespace tombola::cli
