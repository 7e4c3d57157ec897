#include "cli/simulate/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

absl::StatusOr<simulation::Data> ReadText(const std::string& text,
                                          std::optional<int64_t> users = std::nullopt) {
  std::istringstream lines(text);
  return ReadBins(lines, "numbers.txt", {.users = users}, FiveBins());
}

TEST(ReadBinsTest, CountsTheNumbersOfEachBin) {
  const auto data = ReadText("0\n2\n\n{\"value\": 9.5}\n10\n");
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(data->counts, ElementsAre(1, 1, 0, 0, 2));
  EXPECT_EQ(data->users, 4);
  EXPECT_EQ(ReadText("0\n2\n4\n", 2)->users, 2);
}

TEST(ReadBinsTest, NamesTheLineThatIsWrong) {
  const auto refusal = [](const std::string& text, std::optional<int64_t> users = std::nullopt) {
    return std::string(ReadText(text, users).status().message());
  };
  EXPECT_THAT(refusal("1\n11\n"), HasSubstr("numbers.txt, line 2: it must be a number in [0, 10]"));
  EXPECT_THAT(refusal("1\n\nnull\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal("x\n"), HasSubstr("line 1: it must be a JSON number"));
  EXPECT_THAT(refusal("1\n2\n", 3), HasSubstr("has 2 lines; 3 are needed"));
  EXPECT_THAT(refusal(""), HasSubstr("has 0 lines"));
}

}  // namespace
}  // namespace tombola::cli
