#include "common/base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/base/file_stamp.h"

namespace tombola {
namespace {

std::string Scratch(const std::string& name) {
  const std::string directory = ::testing::TempDir() + "tombola_file_test";
  EXPECT_TRUE(MakeDirectories(directory).ok());
  return directory + "/" + name;
}

TEST(File, ReadsBackWhatItReplaced) {
  const std::string path = Scratch("a");
  ASSERT_TRUE(ReplaceFile(path, "one").ok());
  ASSERT_TRUE(ReplaceFile(path, std::string("t\0wo", 4)).ok());
  EXPECT_EQ(*ReadSmallFile(path), std::string("t\0wo", 4));
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(FileStamp, ChangesWhenTheFileIsReplaced) {
  const std::string path = Scratch("stamped");
  ASSERT_TRUE(ReplaceFile(path, "one").ok());
  const FileStamp one = StampOf(path);
  EXPECT_EQ(StampOf(path), one);
  ASSERT_TRUE(ReplaceFile(path, "two").ok());  // as long, and another file
  const FileStamp two = StampOf(path);
  EXPECT_NE(two, one);
  EXPECT_EQ(StampOf("/nowhere/at/all"), FileStamp());
  EXPECT_NE(two, FileStamp());
}

TEST(File, NamesThePathItCannotOpen) {
  const auto content = ReadSmallFile("/nowhere/at/all");
  EXPECT_EQ(content.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(content.status().message().find("/nowhere/at/all"), absl::string_view::npos);
}

TEST(File, RefusesToWriteIntoAMissingDirectory) {
  EXPECT_EQ(ReplaceFile("/nowhere/at/all", "x").code(), absl::StatusCode::kNotFound);
}

TEST(File, MakesDirectoriesWithTheirParentsOnce) {
  const std::string top = Scratch("made");
  std::filesystem::remove_all(top);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(MakeDirectories(top + "/b/c/").ok());
  EXPECT_TRUE(std::filesystem::is_directory(top + "/b/c"));
  EXPECT_TRUE(SyncDirectoryOf(top + "/b/c").ok());
}

TEST(File, RefusesADirectoryWhereAFileIs) {
  ASSERT_TRUE(ReplaceFile(Scratch("file"), "x").ok());
  EXPECT_EQ(MakeDirectories(Scratch("file")).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(MakeDirectories(Scratch("file") + "/below").ok());
  EXPECT_FALSE(MakeDirectories("").ok());
}

}  // namespace
}  // namespace tombola
