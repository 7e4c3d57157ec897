#include "cli/command/command.h"

#include <gtest/gtest.h>

namespace tombola::cli {
namespace {

TEST(ExitCodeTest, IsTwoForWhatOtherWordsMendAndOneForTheRest) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCode(absl::NotFoundError("")), 2);
  EXPECT_EQ(ExitCode(absl::FailedPreconditionError("")), 1);
  EXPECT_EQ(ExitCode(absl::UnavailableError("")), 1);
  EXPECT_EQ(ExitCode(absl::PermissionDeniedError("")), 1);
}

}  // namespace
}  // namespace tombola::cli
