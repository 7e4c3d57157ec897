#include "cli/simulate/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Bins FiveBins() {
  v1::Numbers wire;
  wire.add_edges(0);
  wire.add_edges(10);
  return Bins::Read(wire, 5).value();
}

absl::StatusOr<simulation::NumberData> ReadText(const std::string& text,
                                                std::optional<int64_t> users = std::nullopt,
                                                bool missing = false, bool mean_only = false) {
  std::istringstream lines(text);
  return ReadNumberLines(
      lines, "numbers.txt",
      {.data = {.users = users}, .bins = FiveBins(), .missing = missing, .mean_only = mean_only});
}

TEST(ReadNumberLinesTest, CountsTheNumbersOfEachBin) {
  const auto data = ReadText("0\n2\n\n{\"value\": 9.5}\n10\n");
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->counts, ElementsAre(1, 1, 0, 0, 2));
  EXPECT_EQ(data->users(), 4);
  EXPECT_EQ(ReadText("0\n2\n4\n", 2)->users(), 2);
}

TEST(ReadNumberLinesTest, CountsDevicesWithoutANumberWhereOneMayBeMissing) {
  const auto data = ReadText("0\nnull\n10\nnull\n", std::nullopt, /*missing=*/true);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->counts, ElementsAre(1, 0, 0, 0, 1));
  EXPECT_EQ(data->none, 2);
  EXPECT_EQ(data->users(), 4);
}

TEST(ReadNumberLinesTest, KeepsTheNumbersThemselvesForMeans) {
  const auto data = ReadText("9.5\n2\n2\n", std::nullopt, /*missing=*/false, /*mean_only=*/true);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->points, ElementsAre(0.2, 0.95));
  EXPECT_THAT(data->counts, ElementsAre(2, 1));
}

TEST(ReadNumberLinesTest, NamesTheLineThatIsWrong) {
  const auto refusal = [](const std::string& text, std::optional<int64_t> users = std::nullopt) {
    return std::string(ReadText(text, users).status().message());
  };
  EXPECT_THAT(refusal("1\n11\n"), HasSubstr("numbers.txt, line 2: it must be a number in [0, 10]"));
  EXPECT_THAT(refusal("1\n\nnull\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal("1\n\nnull\n"), HasSubstr("--missing"));
  EXPECT_THAT(refusal("x\n"), HasSubstr("line 1: it must be a JSON number"));
  EXPECT_THAT(refusal("1\n2\n", 3), HasSubstr("has 2 lines; 3 are needed"));
  EXPECT_THAT(refusal(""), HasSubstr("has 0 lines"));
}

TEST(MakeNumberDataTest, ATenthOfMadeUpDevicesHaveNoNumber) {
  const auto data = MakeNumberData({.data = {.source = "uniform", .users = 100000, .seed = 1},
                                    .bins = FiveBins(),
                                    .missing = true});
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->users(), 100000);
  // The standard deviation is 95: 700 are over 7 of them, 1e-12.
  EXPECT_NEAR(static_cast<double>(data->none), 10000, 700);
}

TEST(MakeNumberDataTest, RefusesDevicesOfWhichNoneHasANumber) {
  const std::string path = testing::TempDir() + "/no_numbers.txt";
  std::ofstream(path) << "null\nnull\n";
  const auto data =
      MakeNumberData({.data = {.source = "file:" + path}, .bins = FiveBins(), .missing = true});
  EXPECT_THAT(std::string(data.status().message()), HasSubstr("no device has a number"));
}

}  // namespace
}  // namespace tombola::cli
