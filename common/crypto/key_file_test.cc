#include "common/crypto/key_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::crypto {
namespace {

using ::testing::HasSubstr;

class KeyFileTest : public ::testing::Test {
 protected:
  KeyFileTest() : directory_(absl::StrCat(::testing::TempDir(), "/key_file_test.", getpid())) {
    std::filesystem::create_directories(directory_);
    path_ = directory_ + "/key";
  }
  ~KeyFileTest() override { std::filesystem::remove_all(directory_); }

  absl::Status Write(const std::string& content, ExistingFile existing = ExistingFile::kRefuse) {
    return WriteSecretFile(path_, SecretBytes(content), existing);
  }
  std::string Read() {
    const auto secret = ReadSecretFile(path_);
    return secret.ok() ? std::string(secret->ExposeSecretAsString()) : secret.status().ToString();
  }
  mode_t Mode() const {
    struct stat info;
    EXPECT_EQ(stat(path_.c_str(), &info), 0);
    return info.st_mode & 07777;
  }
  int FilesInDirectory() const {
    int files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_)) {
      ++files;
    }
    return files;
  }

  std::string directory_;
  std::string path_;
};

TEST_F(KeyFileTest, ReadsBackWhatItWrote) {
  const std::string content("a\0b\n\xff", 5);
  ASSERT_TRUE(Write(content).ok());
  EXPECT_EQ(Read(), content);
  EXPECT_EQ(FilesInDirectory(), 1);
}

TEST_F(KeyFileTest, IsForItsOwnerOnlyWhateverTheUmask) {
  for (const mode_t mask : {0000, 0022, 0277}) {
    const mode_t before = umask(mask);
    const absl::Status status = Write("secret", ExistingFile::kReplace);
    umask(before);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(Mode(), 0600u);
  }
}

TEST_F(KeyFileTest, KeepsAKeyThatIsThere) {
  ASSERT_TRUE(Write("first").ok());
  EXPECT_EQ(Write("second").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Read(), "first");
  EXPECT_EQ(FilesInDirectory(), 1);
}

TEST_F(KeyFileTest, ReplacesAKeyOnRequestAndTightensItsMode) {
  ASSERT_TRUE(Write("first, longer").ok());
  ASSERT_EQ(chmod(path_.c_str(), 0644), 0);
  ASSERT_TRUE(Write("second", ExistingFile::kReplace).ok());
  EXPECT_EQ(Read(), "second");
  EXPECT_EQ(Mode(), 0600u);
  EXPECT_EQ(FilesInDirectory(), 1);
}

TEST_F(KeyFileTest, RefusesAFileThatOthersCanReach) {
  ASSERT_TRUE(Write("secret").ok());
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0601, 0777}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    const absl::Status status = ReadSecretFile(path_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << std::oct << mode;
    EXPECT_THAT(std::string(status.message()), HasSubstr("chmod 600 " + path_));
  }
  for (const mode_t mode : {0600, 0400, 0700}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    EXPECT_EQ(Read(), "secret") << std::oct << mode;
  }
}

TEST_F(KeyFileTest, BoundsTheSize) {
  EXPECT_EQ(Write("").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Write(std::string(kMaxSecretFileBytes + 1, 'x')).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FilesInDirectory(), 0);
  ASSERT_TRUE(Write(std::string(kMaxSecretFileBytes, 'x')).ok());
  EXPECT_EQ(Read().size(), kMaxSecretFileBytes);
  std::ofstream(path_, std::ios::app) << 'x';
  EXPECT_EQ(ReadSecretFile(path_).status().code(), absl::StatusCode::kInvalidArgument);
  std::ofstream(path_, std::ios::trunc).flush();
  EXPECT_EQ(ReadSecretFile(path_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(KeyFileTest, SaysWhatIsMissing) {
  EXPECT_EQ(ReadSecretFile(path_).status().code(), absl::StatusCode::kNotFound);
  path_ = directory_ + "/nowhere/key";
  const absl::Status status = Write("secret");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
}

TEST_F(KeyFileTest, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(ReadSecretFile(directory_).status().code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(ReadSecretFile(path_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(KeyFileTest, ADestroyedFileIsOverwrittenAndGoneAndDestroyingAgainIsNoError) {
  ASSERT_TRUE(Write("secret").ok());
  // A second name keeps the content in sight.
  const std::string other = directory_ + "/other";
  ASSERT_EQ(link(path_.c_str(), other.c_str()), 0);
  ASSERT_TRUE(DestroySecretFile(path_).ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
  const auto left = ReadSecretFile(other);
  ASSERT_TRUE(left.ok()) << left.status();
  EXPECT_EQ(left->ExposeSecretAsString(), std::string(6, '\0'));
  EXPECT_TRUE(DestroySecretFile(path_).ok());
}

TEST_F(KeyFileTest, ADirectoryInWhichOthersCouldExchangeTheFileIsRefused) {
  ASSERT_TRUE(Write("secret").ok());
  const auto check = [&](mode_t mode) {
    EXPECT_EQ(chmod(directory_.c_str(), mode), 0);
    return CheckDirectoryOfSecret(path_);
  };
  EXPECT_TRUE(check(0700).ok());
  EXPECT_TRUE(check(0755).ok());
  for (const mode_t mode : {0770, 0702, 0777}) {
    const absl::Status status = check(mode);
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("chmod go-w " + directory_));
  }
  EXPECT_TRUE(check(01777).ok()) << "like /tmp: others cannot remove what is not theirs";
  EXPECT_TRUE(absl::IsNotFound(CheckSecretDirectory(directory_ + "/nowhere")));
}

// Only root can give a file away, so this says nothing where the tests run as somebody else.
TEST_F(KeyFileTest, AFileOfAnotherUserIsRefused) {
  ASSERT_TRUE(Write("secret").ok());
  if (geteuid() != 0 || chown(path_.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "not root";
  const absl::Status status = ReadSecretFile(path_).status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("belongs to user 65534"));
}

}  // namespace
}  // namespace tombola::crypto
