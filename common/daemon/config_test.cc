#include "common/daemon/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tombola::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A daemon's flags in small.
struct Daemon {
  Daemon() {
    app.add_option("--listen", listen)->required();
    app.add_option("--max", max)->check(CLI::Range(1, 100))->capture_default_str();
    app.add_option("--max-more", max_more)->capture_default_str();
    app.add_flag("--plain", plain);
    app.add_option("--fd", fd)->configurable(false);
  }
  absl::Status Parse(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "daemon");
    std::vector<char*> argv;
    argv.reserve(arguments.size());
    for (std::string& argument : arguments) argv.push_back(argument.data());
    return config.Parse(static_cast<int>(argv.size()), argv.data());
  }

  CLI::App app{"", "daemon"};
  std::string listen;
  int64_t max = 7;
  int64_t max_more = 8;
  bool plain = false;
  int fd = -1;
  Config config{&app};
};

class DaemonConfigTest : public ::testing::Test {
 protected:
  DaemonConfigTest() {
    path_ = (std::filesystem::temp_directory_path() / "daemon-config-XXXXXX").string();
    const int fd = mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    close(fd);
  }
  ~DaemonConfigTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& content) { std::ofstream(path_) << content; }

  std::string path_;
};

TEST_F(DaemonConfigTest, FlagsOverrideTheFileAndTheFileTheDefaults) {
  Write("listen = \"a:1\"\nmax = 5\nplain = true\n");
  Daemon daemon;
  ASSERT_TRUE(daemon.Parse({"--config", path_, "--max", "6"}).ok());
  EXPECT_EQ(daemon.listen, "a:1");
  EXPECT_EQ(daemon.max, 6);
  EXPECT_EQ(daemon.max_more, 8);
  EXPECT_TRUE(daemon.plain);
  EXPECT_EQ(FormatSettings(daemon.config.Effective()),
            "listen = \"a:1\"  # file\n"
            "max = 6  # flag\n"
            "max-more = 8  # default\n"
            "plain = true  # file\n");
}

TEST_F(DaemonConfigTest, WhatIsPrintedIsReadBackAsTheSame) {
  Daemon first;
  ASSERT_TRUE(first.Parse({"--listen", "odd \"name\" \\ #1", "--max-more", "-3"}).ok());
  Write(FormatSettings(first.config.Effective()));
  Daemon second;
  ASSERT_TRUE(second.Parse({"--config", path_}).ok());
  EXPECT_EQ(second.listen, first.listen);
  EXPECT_THAT(Differences(first.config.Effective(), second.config.Effective()), ElementsAre());
  Daemon third;
  ASSERT_TRUE(third.Parse({"--config", path_, "--plain", "--max=9"}).ok());
  EXPECT_THAT(Differences(first.config.Effective(), third.config.Effective()),
              ElementsAre("max", "plain"));
}

TEST_F(DaemonConfigTest, RefusesUnknownKeysAndBadValuesWithFileLineAndKey) {
  const auto refusal = [this](const std::string& content) {
    Write(content);
    Daemon daemon;
    const absl::Status status = daemon.Parse({"--config", path_});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << content;
    return std::string(status.message());
  };
  const std::string good = "listen = \"a:1\"\n";
  EXPECT_EQ(refusal(good + "maximum = 5\n"), path_ + ":2: unknown key maximum");
  EXPECT_EQ(refusal(good + "fd = 5\n"), path_ + ":2: unknown key fd");
  EXPECT_EQ(refusal(good + "config = \"x\"\n"), path_ + ":2: unknown key config");
  EXPECT_EQ(refusal(good + "help = true\n"), path_ + ":2: unknown key help");
  EXPECT_EQ(refusal(good + "max = \"5\"\n"), path_ + ":2: max must be a whole number");
  EXPECT_EQ(refusal(good + "plain = 1\n"), path_ + ":2: plain must be true or false");
  EXPECT_EQ(refusal("\n\nlisten = 5\n"), path_ + ":3: listen must be a text in quotes");
  EXPECT_THAT(refusal(good + "max-more = 3\nmax = 500\n"), StartsWith(path_ + ":3: max: "));
  EXPECT_THAT(refusal("max = 5\n"), HasSubstr("--listen is required"));
}

TEST_F(DaemonConfigTest, RefusesAFileThatIsNotThere) {
  Daemon daemon;
  const absl::Status status = daemon.Parse({"--config", "/nowhere/x.toml", "--listen", "a:1"});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/x.toml"));
}

}  // namespace
}  // namespace tombola::daemon
