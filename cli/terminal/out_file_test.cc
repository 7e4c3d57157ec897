#include "cli/terminal/out_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/command/command.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

TEST(OutFileTest, WritesANewFileAndReplacesAnOldOne) {
  const ScratchDirectory directory;
  for (const char* content : {"first", "second, longer", "third"}) {
    ASSERT_TRUE(WriteOut(directory.In("a.csv"), content).ok());
    EXPECT_EQ(*ReadSmallFile(directory.In("a.csv")), content);
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    EXPECT_EQ(entry.path().filename(), "a.csv");
    ++files;
  }
  EXPECT_EQ(files, 1u) << "nothing else is left behind";
}

TEST(OutFileTest, RefusesWhatIsNoFileBeforeAnythingIsDone) {
  const ScratchDirectory directory;
  const auto refused = [](const std::string& path, const std::string& says) {
    for (const absl::Status& status : {CheckOut(path), WriteOut(path, "x")}) {
      EXPECT_EQ(ExitCode(status), kExitBadInput) << path;
      EXPECT_THAT(std::string(status.message()), HasSubstr(says)) << path;
    }
  };
  refused(directory.path(), "is a directory");
  refused(directory.path() + "/", "is a directory");
  refused("/dev/null", "is no regular file");
  refused(directory.In("missing/a.csv"), "does not exist");
  refused("", "must name a file");
  std::filesystem::create_symlink(directory.In("nowhere"), directory.In("dangling"));
  refused(directory.In("dangling"), "link to nothing");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutFileTest, WritesThroughASymbolicLink) {
  const ScratchDirectory directory;
  const std::string file = directory.File("real.csv", "old");
  std::filesystem::create_symlink("real.csv", directory.In("link.csv"));
  ASSERT_TRUE(WriteOut(directory.In("link.csv"), "new").ok());
  EXPECT_EQ(*ReadSmallFile(file), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory.In("link.csv")));
}

}  // namespace
}  // namespace tombola::cli
