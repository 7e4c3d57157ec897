#include "common/crypto/file_digest.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/disk/whole_file.h"

namespace tombola::crypto {
namespace {

class FileDigestTest : public ::testing::Test {
 protected:
  FileDigestTest() : directory_(absl::StrCat(::testing::TempDir(), "/file_digest.", getpid())) {
    std::filesystem::create_directories(directory_);
  }
  ~FileDigestTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
};

TEST_F(FileDigestTest, IsTheDigestOfAllItsBytes) {
  const std::string path = directory_ + "/file";
  // Around the piece that is read at once.
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{65535}, size_t{65536}, size_t{200000}}) {
    const std::string content(bytes, 'x');
    ASSERT_TRUE(ReplaceFile(path, content).ok());
    const auto digest = DigestFile(path);
    ASSERT_TRUE(digest.ok()) << digest.status();
    EXPECT_EQ(digest->bytes, static_cast<int64_t>(bytes));
    EXPECT_EQ(digest->sha256, Sha256(content));
  }
}

TEST_F(FileDigestTest, NamesAFileThatItCannotRead) {
  const std::string path = directory_ + "/missing";
  const absl::Status missing = DigestFile(path).status();
  EXPECT_TRUE(absl::IsNotFound(missing)) << missing;
  EXPECT_TRUE(absl::StrContains(missing.message(), path)) << missing;
  EXPECT_FALSE(DigestFile(directory_).ok());
}

}  // namespace
}  // namespace tombola::crypto
