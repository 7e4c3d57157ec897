#include "collector/audit/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/disk/whole_file.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"

namespace tombola::collector {
namespace {

using ::testing::SizeIs;

class AuditLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<AuditLog> Open() { return *AuditLog::Open(path_, &clock_); }
  std::vector<nlohmann::json> Lines() const {
    std::vector<nlohmann::json> lines;
    const std::string text = *ReadSmallFile(path_);
    for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      lines.push_back(nlohmann::json::parse(line.begin(), line.end()));
    }
    return lines;
  }

  ScratchDirectory directory_;
  const std::string path_ = directory_.In("audit.log");
  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
};

TEST_F(AuditLogTest, AnActIsOnDiskWhenItIsRecorded) {
  const auto log = Open();
  log->Note({.who = "token dana", .act = "answer", .about = {{"task", "ab\"\n"}}});
  log->Record(
      {.who = "certificate CN=x", .act = "close_task", .outcome = absl::NotFoundError("no")});
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["task"], "ab\"\n");
  EXPECT_EQ(lines[0]["outcome"], "OK");
  EXPECT_EQ(lines[1]["who"], "certificate CN=x");
  EXPECT_EQ(lines[1]["outcome"], "NOT_FOUND");
  EXPECT_EQ(lines[1]["time"], "2027-01-15T08:00:00.000Z");
  struct stat facts {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, WhatWasNotedIsThereAfterTheEndAndANewStartAddsToIt) {
  Open()->Note({.who = "a", .act = "answer"});
  Open()->Note({.who = "b", .act = "answer"});
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["who"], "a");
  EXPECT_EQ(lines[1]["who"], "b");
}

TEST_F(AuditLogTest, WhatIsAskedAgainAndAgainIsCounted) {
  {
    const auto log = Open();
    for (int i = 0; i < 1000; ++i)
      log->Note({.who = "a", .act = "answer", .about = {{"task", "x"}}});
    log->Note({.who = "a", .act = "answer", .about = {{"task", "y"}}});
    // Of what is refused it does not matter what it was about: that is anybody's to choose.
    for (int i = 0; i < 1000; ++i) {
      log->Note({.who = "b",
                 .act = "answer",
                 .about = {{"task", absl::StrCat(i)}},
                 .outcome = absl::PermissionDeniedError("")});
    }
  }
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(5));
  int64_t times = 0;
  for (const auto& line : lines) times += line.value("times", 1);
  EXPECT_EQ(times, 2001);
}

TEST_F(AuditLogTest, ALongNameIsCutShort) {
  Open()->Record({.who = "a", .act = "create_task", .about = {{"name", std::string(100000, 'x')}}});
  EXPECT_LT(Lines()[0]["name"].get<std::string>().size(), 300u);
}

TEST_F(AuditLogTest, GoesOnUnderItsNameWhenTheFileIsMovedAway) {
  const auto log = Open();
  log->Record({.who = "a", .act = "rotate_keys"});
  std::filesystem::rename(path_, path_ + ".1");
  log->Record({.who = "b", .act = "rotate_keys"});
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0]["who"], "b");
}

TEST_F(AuditLogTest, KeepsWhatADiskDidNotTake) {
  const auto log = Open();
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);  // nothing can be written there
  log->Record({.who = "a", .act = "close_task"});
  std::filesystem::remove(path_);
  log->Record({.who = "b", .act = "close_task"});
  const auto lines = Lines();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["who"], "a");
}

TEST_F(AuditLogTest, LinesOfSeveralThreadsAreWhole) {
  {
    const auto log = Open();
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&log, thread] {
        for (int i = 0; i < 50; ++i) {
          const AuditEntry entry{.who = absl::StrCat(thread), .act = std::string(100, 'x')};
          i % 10 == 0 ? log->Record(entry) : log->Note(entry);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  int64_t times = 0;
  for (const auto& line : Lines()) times += line.value("times", 1);
  EXPECT_EQ(times, 200);
}

}  // namespace
}  // namespace tombola::collector
