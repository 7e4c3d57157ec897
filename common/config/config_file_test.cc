#include "common/config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola::config {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ParseConfigFileTest, ReadsTextsNumbersAndSwitchesInTheirOrder) {
  const auto entries = ParseConfigFile(
      "# a comment\n"
      "listen = \"[::]:7001\"  # another\n"
      "\n"
      "max-calls = 1_024\n"
      "plain = false\n"
      "path = 'C:\\as it is'\n",
      "f.toml");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[0].key, "listen");
  EXPECT_EQ((*entries)[0].value, "[::]:7001");
  EXPECT_EQ((*entries)[0].line, 2);
  EXPECT_EQ((*entries)[1].kind, ValueKind::kNumber);
  EXPECT_EQ((*entries)[1].value, "1024");
  EXPECT_EQ((*entries)[1].line, 4);
  EXPECT_EQ((*entries)[2].kind, ValueKind::kSwitch);
  EXPECT_EQ((*entries)[2].value, "false");
  EXPECT_EQ((*entries)[3].value, "C:\\as it is");
}

TEST(ParseConfigFileTest, RefusesWhatIsNotAKeyWithAValueAndSaysWhere) {
  const auto refusal = [](const char* content) {
    const auto entries = ParseConfigFile(content, "f.toml");
    EXPECT_EQ(entries.status().code(), absl::StatusCode::kInvalidArgument) << content;
    return std::string(entries.status().message());
  };
  EXPECT_THAT(refusal("a = 1\nlisten\n"), StartsWith("f.toml:2: "));
  EXPECT_THAT(refusal("listen = 127.0.0.1:1\n"), StartsWith("f.toml:1: "));
  EXPECT_THAT(refusal("listen = \"open\n"), StartsWith("f.toml:1: "));
  EXPECT_THAT(refusal("a = 1\nb = 2\na = 3\n"), StartsWith("f.toml:3: "));
  EXPECT_THAT(refusal("a = 99999999999999999999\n"), StartsWith("f.toml:1: "));
  EXPECT_THAT(refusal("a = 1\nb = 0.5\n"), HasSubstr("f.toml:2: b must be"));
  EXPECT_THAT(refusal("a = [1, 2]\n"), HasSubstr("f.toml:1: a must be"));
  EXPECT_THAT(refusal("a = 1\n[limits]\nb = 1\n"), HasSubstr("no sections, such as limits"));
  EXPECT_THAT(refusal("a.b = 1\n"), HasSubstr("no sections, such as a"));
}

TEST(FormatValueTest, IsReadBackAsItWas) {
  for (const std::string value :
       {"plain", "with \"quotes\" and \\", "tab\there", "line\nbreak", "", "ü#=", "\x7f"}) {
    const auto entries =
        ParseConfigFile("a = " + FormatValue(ValueKind::kText, value) + "\n", "f.toml");
    ASSERT_TRUE(entries.ok()) << entries.status();
    EXPECT_EQ(entries->front().value, value);
  }
}

}  // namespace
}  // namespace tombola::config
