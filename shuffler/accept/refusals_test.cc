#include "shuffler/accept/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/retry_after.h"

namespace tombola::shuffler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class RefusalsTest : public ::testing::Test {
 protected:
  RefusalsTest() : refusals_(metrics_) {}

  // What a look logs.
  std::string Step(absl::Duration after) {
    CaptureStderr();
    refusals_.Step(absl::FromUnixSeconds(1000) + after);
    return GetCapturedStderr();
  }

  Metrics metrics_;
  Refusals refusals_;
};

TEST_F(RefusalsTest, CountsByTheCauseOfTheStatusElseByItsCode) {
  refusals_.Count(Refusal("held", "full", absl::Seconds(1)));
  refusals_.Count(WithCause("window_over", absl::FailedPreconditionError("late")));
  refusals_.Count(absl::InvalidArgumentError("task_id must be 32 bytes"));
  refusals_.Count(absl::NotFoundError("no task"));
  refusals_.Count(absl::PermissionDeniedError("role"));
  refusals_.Count(absl::InternalError("?"));
  refusals_.Count(absl::FailedPreconditionError("without a cause"));
  for (const char* line :
       {"{cause=\"held\"} 1", "{cause=\"window_over\"} 1", "{cause=\"malformed\"} 1",
        "{cause=\"unknown_task\"} 1", "{cause=\"role\"} 1", "{cause=\"other\"} 2"}) {
    EXPECT_THAT(metrics_.Text(), HasSubstr(line));
  }
}

TEST_F(RefusalsTest, TellsOnceThatAnOverloadBeganAndOnceThatItIsOver) {
  EXPECT_EQ(Step(absl::ZeroDuration()), "");
  for (int i = 0; i < 5; ++i) refusals_.Count(Refusal("queue", "full", absl::Seconds(1)));
  refusals_.Count(Refusal("held", "full", absl::Seconds(1)));
  EXPECT_THAT(
      Step(absl::Seconds(5)),
      HasSubstr(R"("level":"warning","event":"overload_began","cause":"queue","refused":6)"));
  refusals_.Count(Refusal("queue", "full", absl::Seconds(1)));
  EXPECT_EQ(Step(absl::Seconds(10)), "");
  EXPECT_EQ(Step(absl::Seconds(69)), "");
  EXPECT_THAT(Step(absl::Seconds(70)),
              HasSubstr(R"("event":"overload_ended","refused":7,"seconds":5)"));
  EXPECT_EQ(Step(absl::Seconds(200)), "");
}

TEST_F(RefusalsTest, ABadCallIsNoOverload) {
  refusals_.Count(absl::InvalidArgumentError("malformed"));
  EXPECT_THAT(Step(absl::Seconds(5)), Not(HasSubstr("overload")));
}

}  // namespace
}  // namespace tombola::shuffler
