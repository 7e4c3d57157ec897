#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/task/task.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

// Local epsilon 6, target epsilon 1: it takes a crowd.
std::shared_ptr<const Task> DemandingTask(uint64_t planned, double dishonest_share) {
  return MakeTestTask([&](v1::Task* task) {
    constexpr double kRange = 23;
    const double gamma = kRange / (std::expm1(6) + kRange);
    task->mutable_mechanism()->mutable_local_hash()->set_blanket_threshold(
        static_cast<uint64_t>(std::ldexp(gamma, 64)));
    task->mutable_target()->set_epsilon(1);
    task->mutable_batch_policy()->set_planned_submissions(planned);
    task->mutable_batch_policy()->set_smallest_batch(2);
    task->mutable_batch_policy()->set_dishonest_share(dishonest_share);
  });
}

bool TargetHolds(const Task& task, int64_t submissions) {
  return task.scheme()->Delta(task.Honest(submissions), task.target().epsilon).value() <=
         task.target().delta;
}

TEST(NeededSubmissionsTest, IsTheSmallestNumberForWhichTheTargetHolds) {
  for (const double share : {0.0, 0.1, 0.37, 0.9}) {
    const auto task = DemandingTask(10'000'000, share);
    const auto needed = NeededSubmissions(*task);
    ASSERT_TRUE(needed.ok()) << needed.status();
    EXPECT_GT(*needed, 100);
    EXPECT_TRUE(TargetHolds(*task, *needed)) << share;
    EXPECT_FALSE(TargetHolds(*task, *needed - 1)) << share;
  }
}

TEST(NeededSubmissionsTest, IsNoLessThanTheSmallestBatch) {
  // The test task's target holds for a batch of any size.
  EXPECT_EQ(*NeededSubmissions(*MakeTestTask()), 5);
}

TEST(NeededSubmissionsTest, TheDishonestShareComesOnTop) {
  const auto none = NeededSubmissions(*DemandingTask(10'000'000, 0));
  const auto half = NeededSubmissions(*DemandingTask(10'000'000, 0.5));
  ASSERT_TRUE(none.ok() && half.ok());
  EXPECT_NEAR(static_cast<double>(*half), 2.0 * static_cast<double>(*none), 1);
}

TEST(NeededSubmissionsTest, ThePlannedNumberMayBeExactlyWhatIsNeeded) {
  const int64_t needed = *NeededSubmissions(*DemandingTask(10'000'000, 0.1));
  EXPECT_EQ(*NeededSubmissions(*DemandingTask(static_cast<uint64_t>(needed), 0.1)), needed);
  const auto never = NeededSubmissions(*DemandingTask(static_cast<uint64_t>(needed) - 1, 0.1));
  EXPECT_TRUE(absl::IsFailedPrecondition(never.status()));
  EXPECT_THAT(std::string(never.status().message()),
              HasSubstr(std::to_string(needed) + " submissions in a batch, more than the planned " +
                        std::to_string(needed - 1)));
}

TEST(NeededSubmissionsTest, AShareThatLeavesNobodyIsNeverMet) {
  // 2^53 submissions for one honest one: no count of 64 bits holds what is needed.
  const auto never = NeededSubmissions(*DemandingTask(uint64_t{1} << 40, 1 - 0x1p-53));
  EXPECT_TRUE(absl::IsFailedPrecondition(never.status())) << never.status();
  EXPECT_THAT(std::string(never.status().message()), HasSubstr("more than the planned"));
}

}  // namespace
}  // namespace tombola
