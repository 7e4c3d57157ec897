#include "common/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tombola::log {
namespace {

TEST(Log, ALineIsOneJsonObjectWithItsFieldsInOrder) {
  EXPECT_EQ(FormatLine(Level::kWarning, "batch_released", {{"reports", 12}, {"share", 0.5}}),
            R"({"level":"warning","event":"batch_released","reports":12,"share":0.5})");
}

TEST(Log, LevelsHaveTheNamesThatLinesHave) {
  EXPECT_EQ(ParseLevel("debug"), Level::kDebug);
  EXPECT_EQ(ParseLevel("error"), Level::kError);
  EXPECT_EQ(ParseLevel("Info"), std::nullopt);
  EXPECT_EQ(ParseLevel(""), std::nullopt);
}

TEST(Log, ATextCannotBreakOutOfItsLine) {
  const std::string line =
      FormatLine(Level::kInfo, "x", {{"text", "a\"b\nc\\d"}, {"bytes", std::string("\xff\xfe")}});
  EXPECT_THAT(line, ::testing::Not(::testing::HasSubstr("\n")));
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["text"], "a\"b\nc\\d");
}

}  // namespace
}  // namespace tombola::log
