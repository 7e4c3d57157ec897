// Retry windows that are over: what named one is refused for good.
#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Outcome kAccepted = Outcome::kAccepted;
constexpr Outcome kDuplicate = Outcome::kDuplicate;

TEST_F(StoreTest, ForgottenWindowsAreRefusedAndTheirDigestsGone) {
  Reopen();
  Submit({.numbers = {1}, .window = 7});
  Submit({.numbers = {2}, .window = 8});
  ASSERT_TRUE(Erase(Release().batch).ok());
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 8).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(
      shuffler::Submit(*store_, {.numbers = {1}, .window = 7}).status()));
  EXPECT_THAT(Submit({.numbers = {1, 2}, .window = 8}), ElementsAre(kAccepted, kDuplicate));
  for (const auto& [path, bytes] : FilesIn(options_.directory)) {
    EXPECT_THAT(path, testing::Not(testing::EndsWith("/7.digests")));
  }
}

// The boundary is on disk before the digests go.
TEST_F(StoreTest, AWindowIsNotForgottenInHalves) {
  Reopen();
  Submit({.numbers = {1}, .window = 7});
  ASSERT_TRUE(Erase(Release().batch).ok());
  store_.reset();
  options_.fault = [](absl::string_view point) {
    return point == "forget/noted" ? absl::UnavailableError("planted") : absl::OkStatus();
  };
  Reopen();
  EXPECT_FALSE(store_->ForgetWindowsBefore(task_, 8).ok());
  EXPECT_THAT(Submit({.numbers = {1}, .window = 7}), ElementsAre(kDuplicate));
  options_.fault = {};
  Reopen();
  const auto again = shuffler::Submit(*store_, {.numbers = {1}, .window = 7});
  EXPECT_TRUE(absl::IsFailedPrecondition(again.status()) || again->front() == kDuplicate);
}

TEST_F(StoreTest, AReleaseDoesNotBringForgottenWindowsBack) {
  Reopen();
  Submit({.numbers = {1}, .window = 7});
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 8).ok());
  EXPECT_EQ(Release().submissions, 1);
  EXPECT_THAT(FilesIn(options_.directory + "/seen"), IsEmpty());
}

}  // namespace
}  // namespace tombola::shuffler
