#include "common/config/flag_values.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tombola::config {
namespace {

struct Flags {
  int small = 7;
  int64_t large = 7;
  std::optional<uint64_t> natural;
  double fraction = 0;
  std::string text;
};

// The flags of a command, after one of them was given a value; nothing if it was refused.
std::optional<Flags> Given(const std::string& flag, const std::string& value) {
  Flags flags;
  CLI::App app;
  CLI::App* command = app.add_subcommand("command");
  command->add_option("--small", flags.small)->check(CLI::Range(0, 100));
  command->add_option("--large", flags.large)->capture_default_str();
  command->add_option("--natural", flags.natural);
  command->add_option("--fraction", flags.fraction);
  command->add_option("--text", flags.text);
  command->add_option("--positive", flags.fraction)->check(AboveZero());
  command->add_option("--share", flags.fraction)->check(AboveZero(1));
  command->add_option("--not-empty", flags.text)->check(NotEmpty());
  TakeWholeNumbersOnly(app);
  std::vector<std::string> arguments = {flag + "=" + value, "command"};  // CLI11 reads from the end
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    EXPECT_NE(std::string(error.what()).find(flag), std::string::npos) << error.what();
    return std::nullopt;
  }
  return flags;
}

TEST(WholeNumbersTest, TakesDecimalDigits) {
  EXPECT_EQ(Given("--small", "0")->small, 0);
  EXPECT_EQ(Given("--small", "100")->small, 100);
  EXPECT_EQ(Given("--large", "9223372036854775807")->large, INT64_MAX);
  EXPECT_EQ(Given("--natural", "18446744073709551615")->natural, UINT64_MAX);
}

TEST(WholeNumbersTest, RefusesEverythingElse) {
  for (const char* flag : {"--small", "--large", "--natural"}) {
    for (const char* value : {"2.5", "2.0", "-1", "-0", "+1", "1e1", "1x", "x", "0x10", "010", "00",
                              " 1", "1 ", "1,0", "1_0", "", "nan", "99999999999999999999"}) {
      EXPECT_FALSE(Given(flag, value).has_value()) << flag << " " << value;
    }
  }
  EXPECT_FALSE(Given("--small", "4294967297").has_value());
  EXPECT_FALSE(Given("--large", "9223372036854775808").has_value());
}

TEST(WholeNumbersTest, LeavesOtherFlagsAlone) {
  EXPECT_EQ(Given("--fraction", "-2.5e1")->fraction, -25);
  EXPECT_EQ(Given("--text", "010")->text, "010");
}

TEST(NotEmptyTest, RefusesAnEmptyTextAndNoOther) {
  EXPECT_FALSE(Given("--not-empty", "").has_value());
  EXPECT_EQ(Given("--not-empty", " ")->text, " ");
}

TEST(NoEmptyTextTest, RefusesAnEmptyTextForEveryFlagOfACommand) {
  CLI::App app;
  CLI::App* command = app.add_subcommand("command");
  std::string text = "default";
  bool flag = false;
  command->add_option("--text", text);
  command->add_flag("--flag", flag);
  TakeNoEmptyText(app);
  EXPECT_THROW(app.parse(std::vector<std::string>{"--text=", "command"}), CLI::ParseError);
  EXPECT_THROW(app.parse(std::vector<std::string>{"", "--text", "command"}), CLI::ParseError);
  app.parse(std::vector<std::string>{"--flag", "x", "--text", "command"});
  EXPECT_EQ(text, "x");
  EXPECT_TRUE(flag);
}

TEST(AboveZeroTest, RefusesWhatIsNotAboveZeroOrTooLarge) {
  for (const char* value : {"0", "-1", "nan", "", "x", "-inf"}) {
    EXPECT_FALSE(Given("--positive", value).has_value()) << value;
    EXPECT_FALSE(Given("--share", value).has_value()) << value;
  }
  EXPECT_EQ(Given("--positive", "inf")->fraction, std::numeric_limits<double>::infinity());
  EXPECT_EQ(Given("--positive", "1e-9")->fraction, 1e-9);
  EXPECT_EQ(Given("--share", "1")->fraction, 1);
  EXPECT_FALSE(Given("--share", "1.1").has_value());
}

}  // namespace
}  // namespace tombola::config
