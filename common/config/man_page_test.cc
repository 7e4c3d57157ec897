#include "common/config/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace tombola::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ManPageTest, HasEveryCommandWithItsFlagsAndTheirTexts) {
  CLI::App app{"A tool.", "tool"};
  app.footer("Exit codes: 0.");
  CLI::App* group = app.add_subcommand("task", "Tasks");
  CLI::App* create = group->add_subcommand("create", "Make one");
  std::string name;
  int users = 7;
  bool json = false;
  create->add_option("--name", name, "For people")->required();
  create->add_option("--users", users, "Of a batch")->capture_default_str();
  create->add_flag("--json", json, "One object");
  const std::string page = ManPage(app);
  EXPECT_THAT(page, HasSubstr(".TH TOOL 1 "));
  EXPECT_THAT(page, HasSubstr("tool \\- A tool.\n"));
  EXPECT_THAT(page, HasSubstr(".SS tool task create\nMake one\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-name TEXT\nFor people (required)\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-users INT\nOf a batch [7]\n"));
  EXPECT_THAT(page, HasSubstr(".B \\-\\-json\nOne object\n"));
  EXPECT_THAT(page, HasSubstr(".SH NOTES\nExit codes: 0.\n"));
}

TEST(ManPageTest, ADaemonsPageHasItsFlagsAloneAndNoRequestsOfRoff) {
  CLI::App app{"A daemon.", "toold"};
  std::string path;
  app.add_option("--path", path, ".hidden files, and a \\ too");
  const std::string page = ManPage(app);
  EXPECT_THAT(page, HasSubstr(".TH TOOLD 8 "));
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden files, and a \\e too\n"));
  EXPECT_THAT(page, Not(HasSubstr("COMMAND")));
}

}  // namespace
}  // namespace tombola::config
