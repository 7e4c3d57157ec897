#include "common/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tombola::log {
namespace {

// What Write writes, without its end, and without its time, of which it is checked that it is one.
std::string Written(Level level, absl::string_view event, std::initializer_list<Field> fields) {
  ::testing::internal::CaptureStderr();
  Write(level, event, fields);
  const std::string text = ::testing::internal::GetCapturedStderr();
  constexpr absl::string_view kBefore = R"({"time":")", kAfter = R"(",)";
  constexpr size_t kTime = 24;
  EXPECT_THAT(text, ::testing::StartsWith(std::string(kBefore)));
  EXPECT_EQ(text.substr(kBefore.size() + kTime, kAfter.size()), kAfter);
  absl::Time time;
  EXPECT_TRUE(
      absl::ParseTime(absl::RFC3339_full, text.substr(kBefore.size(), kTime), &time, nullptr))
      << text;
  EXPECT_EQ(text.back(), '\n');
  const size_t rest = kBefore.size() + kTime + kAfter.size();
  return absl::StrCat("{", text.substr(rest, text.size() - rest - 1));
}

TEST(Log, ALineIsOneJsonObjectWithItsFieldsInOrder) {
  EXPECT_EQ(Written(Level::kWarning, "batch_released", {{"messages", 12}, {"share", 0.5}}),
            R"({"level":"warning","event":"batch_released","messages":12,"share":0.5})");
}

TEST(Log, LevelsHaveTheNamesThatLinesHave) {
  EXPECT_EQ(ParseLevel("debug"), Level::kDebug);
  EXPECT_EQ(ParseLevel("error"), Level::kError);
  EXPECT_EQ(ParseLevel("Info"), std::nullopt);
  EXPECT_EQ(ParseLevel(""), std::nullopt);
}

TEST(Log, ATextCannotBreakOutOfItsLine) {
  const std::string line =
      Written(Level::kInfo, "x", {{"text", "a\"b\nc\\d"}, {"bytes", std::string("\xff\xfe")}});
  EXPECT_THAT(line, ::testing::Not(::testing::HasSubstr("\n")));
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["text"], "a\"b\nc\\d");
}

}  // namespace
}  // namespace tombola::log
