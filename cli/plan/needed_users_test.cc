#include "cli/plan/needed_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

// Errors of a share that a quarter holds, without any noise; too few have no plan.
absl::StatusOr<double> Sampling(int64_t users) {
  if (users < 100) return std::numeric_limits<double>::infinity();
  return 0.25 / static_cast<double>(users);
}

TEST(NeededUsersTest, AnErrorTakesTheUsersOfItsInterval) {
  // 1.96^2 / 4 / 0.01^2 = 9604: up to 1 % more, and never fewer.
  const auto users = NeededUsers({.error = 0.01}, Sampling);
  ASSERT_TRUE(users.ok()) << users.status();
  EXPECT_GE(*users, 9604);
  EXPECT_LE(*users, 9702);
  EXPECT_THAT(DescribeNeeded({.error = 0.01}, *users), HasSubstr("off by 1 % at most, with 95 %"));
  // 2.576 in place of 1.96.
  EXPECT_NEAR(static_cast<double>(*NeededUsers({.error = 0.01, .confidence = 0.99}, Sampling)),
              16588 * 1.005, 16588 * 0.006);
  EXPECT_EQ(*NeededUsers({.error = 0.1}, [](int64_t) { return 0.0; }), 1);
}

TEST(NeededUsersTest, AChangeTakesTheErrorsOfTwoAnswersAndThePower) {
  // 2 (1.96 + 0.8416)^2 / 4 / 0.01^2 = 39244.
  const auto users = NeededUsers({.detect = 0.01}, Sampling);
  ASSERT_TRUE(users.ok()) << users.status();
  EXPECT_GE(*users, 39244);
  EXPECT_LE(*users, 39640);
  EXPECT_THAT(DescribeNeeded({.detect = 0.01}, *users), HasSubstr("in each of two answers"));
}

TEST(NeededUsersTest, WhatCannotBeIsRefusedWithItsFlag) {
  const auto refused = [](const UsersWish& wish) {
    return std::string(NeededUsers(wish, Sampling).status().message());
  };
  EXPECT_THAT(refused({.error = 0}), HasSubstr("--error must be above 0"));
  EXPECT_THAT(refused({.detect = 1}), HasSubstr("--detect must be above 0"));
  EXPECT_THAT(refused({.error = 0.1, .confidence = 1}), HasSubstr("--confidence must be"));
  EXPECT_THAT(refused({.error = 0.1, .detect = 0.1}), HasSubstr("not both"));
  EXPECT_THAT(refused({.error = 1e-7}), HasSubstr("--error is too small: 68719476736 users"));
  EXPECT_EQ(
      NeededUsers({.error = 0.1},
                  [](int64_t) -> absl::StatusOr<double> { return absl::InternalError("broken"); })
          .status()
          .code(),
      absl::StatusCode::kInternal);
}

TEST(PercentAsShareTest, TakesPercentAndShares) {
  EXPECT_EQ(PercentAsShare("95%"), "0.95");
  EXPECT_EQ(PercentAsShare("0.5%"), "0.005");
  EXPECT_EQ(PercentAsShare("0.005"), "0.005");
  EXPECT_EQ(PercentAsShare("x%"), "x%");
}

}  // namespace
}  // namespace tombola::cli
