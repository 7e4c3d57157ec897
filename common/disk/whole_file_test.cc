#include "common/disk/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "common/disk/directory.h"
#include "common/disk/file_stamp.h"

namespace tombola {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::string Scratch(const std::string& name) {
  const std::string directory = ::testing::TempDir() + "tombola_whole_file_test";
  EXPECT_TRUE(MakeDirectories(directory).ok());
  return directory + "/" + name;
}

TEST(WholeFile, ReadsBackWhatItReplaced) {
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

TEST(WholeFile, NamesThePathItCannotOpen) {
  const auto content = ReadSmallFile("/nowhere/at/all");
  EXPECT_EQ(content.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(content.status().message().find("/nowhere/at/all"), absl::string_view::npos);
}

TEST(WholeFile, AFolderIsNoFileToRead) {
  const auto content = ReadSmallFile(::testing::TempDir());
  EXPECT_EQ(content.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(content.status().message().find("must be a file, is a folder"),
            absl::string_view::npos);
}

TEST(WholeFile, RefusesToWriteIntoAMissingDirectory) {
  EXPECT_EQ(ReplaceFile("/nowhere/at/all", "x").code(), absl::StatusCode::kNotFound);
}

TEST(WholeFile, HasTheModeThatItWasReplacedWith) {
  const std::string path = Scratch("mode");
  ASSERT_TRUE(ReplaceFile(path, "one", 0600).ok());
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
}

TEST(WholeFile, KeepsItsOldContentUntilTheDraftIsAdopted) {
  const std::string path = Scratch("drafted");
  ASSERT_TRUE(ReplaceFile(path, "old").ok());
  ASSERT_TRUE(WriteDraft(path, "half").ok());
  ASSERT_TRUE(WriteDraft(path, "new").ok()) << "what was left of one that failed is replaced";
  EXPECT_EQ(*ReadSmallFile(path), "old");
  ASSERT_TRUE(AdoptDraft(path).ok());
  EXPECT_EQ(*ReadSmallFile(path), "new");
  ASSERT_TRUE(WriteDraft(path, "newest").ok());
  EXPECT_THAT(*ListWithoutDrafts(DirectoryOf(path)), Not(Contains(DraftOf("drafted"))));
  EXPECT_FALSE(std::filesystem::exists(DraftOf(path)));
  EXPECT_EQ(*ReadSmallFile(path), "new");
  EXPECT_EQ(WriteNewFile(path, "newer").code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace tombola
