#include "common/disk/lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "common/disk/directory.h"
#include "common/disk/whole_file.h"

namespace tombola {
namespace {

std::string Scratch() {
  const std::string directory = ::testing::TempDir() + "tombola_lock_test";
  EXPECT_TRUE(MakeDirectories(directory).ok());
  return directory;
}

TEST(DiskLock, IsTakenOnceAndFreeAgainWhenItsHolderIsGone) {
  const std::string directory = Scratch();
  {
    const auto first = DiskLock::OfDirectory(directory);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(DiskLock::OfDirectory(directory).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(DiskLock::OfDirectory(directory).ok());
}

TEST(DiskLock, OfAFileOutlastsItsReplacement) {
  const std::string path = Scratch() + "/replaced";
  const auto first = DiskLock::OfFile(path);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(ReplaceFile(path, "one").ok());
  EXPECT_EQ(DiskLock::OfFile(path).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(DiskLock::OfFile(path + "2").ok());
}

TEST(DiskLock, OfADirectoryItselfIsWaitedForAndLeavesNoFile) {
  const std::string directory = Scratch() + "/waited";
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(MakeDirectories(directory).ok());
  auto first = DiskLock::WaitForDirectoryOf(directory + "/a");
  ASSERT_TRUE(first.ok()) << first.status();
  std::thread second([&] { EXPECT_TRUE(DiskLock::WaitForDirectoryOf(directory + "/b").ok()); });
  { const DiskLock ended = *std::move(first); }
  second.join();
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_EQ(DiskLock::WaitForDirectoryOf(directory + "/none/c").status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tombola
