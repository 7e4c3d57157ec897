#include "common/base/directory_lock.h"

#include <gtest/gtest.h>

#include <optional>

#include "common/base/file.h"

namespace tombola {
namespace {

TEST(DirectoryLock, IsTakenOnceAndFreeAgainWhenItsHolderIsGone) {
  const std::string directory = ::testing::TempDir() + "tombola_lock_test";
  ASSERT_TRUE(MakeDirectories(directory).ok());
  {
    const auto first = DirectoryLock::Take(directory);
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_EQ(DirectoryLock::Take(directory).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(DirectoryLock::Take(directory).ok());
}

}  // namespace
}  // namespace tombola
