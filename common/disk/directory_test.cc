#include "common/disk/directory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/disk/whole_file.h"

namespace tombola {
namespace {

std::string Scratch(const std::string& name) {
  const std::string directory = ::testing::TempDir() + "tombola_directory_test";
  EXPECT_TRUE(MakeDirectories(directory).ok());
  return directory + "/" + name;
}

TEST(Directory, IsMadeWithItsParentsOnce) {
  const std::string top = Scratch("made");
  std::filesystem::remove_all(top);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(MakeDirectories(top + "/b/c/").ok());
  EXPECT_TRUE(std::filesystem::is_directory(top + "/b/c"));
  EXPECT_TRUE(SyncDirectoryOf(top + "/b/c").ok());
}

TEST(Directory, IsRefusedWhereAFileIs) {
  ASSERT_TRUE(ReplaceFile(Scratch("file"), "x").ok());
  EXPECT_EQ(MakeDirectories(Scratch("file")).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(MakeDirectories(Scratch("file") + "/below").ok());
  EXPECT_FALSE(MakeDirectories("").ok());
}

TEST(Directory, IsListedInOrderAndRemovedWithItsFiles) {
  const std::string top = Scratch("listed");
  ASSERT_TRUE(MakeDirectory(top).ok());
  ASSERT_TRUE(MakeDirectory(top).ok()) << "no error if it is there";
  for (const char* name : {"/b", "/a"}) ASSERT_TRUE(ReplaceFile(top + name, "x").ok());
  EXPECT_EQ(*ListDirectory(top), (std::vector<std::string>{"a", "b"}));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(RemoveDirectory(top).ok());
  EXPECT_TRUE(ListDirectory(top)->empty());
  EXPECT_TRUE(RemoveFile(top + "/a").ok());
  EXPECT_EQ(Rename(top, top + "2").code(), absl::StatusCode::kNotFound);
}

TEST(Directory, OfAPathIsWhatStandsBeforeItsName) {
  EXPECT_EQ(DirectoryOf("a"), ".");
  EXPECT_EQ(DirectoryOf("/a"), "/");
  EXPECT_EQ(DirectoryOf("/a/b"), "/a");
}

}  // namespace
}  // namespace tombola
