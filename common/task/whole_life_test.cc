#include "common/task/whole_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/base/decimal.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Its local epsilon is 2.
std::shared_ptr<const Task> TaskOf(uint32_t submissions, double epsilon, double delta = 1e-6) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    task->mutable_target()->set_epsilon(epsilon);
    task->mutable_target()->set_delta(delta);
  });
}

std::shared_ptr<const Task> WithoutLocalEpsilon(uint32_t submissions) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    v1::PureDump* dump = task->mutable_mechanism()->mutable_pure_dump();
    dump->mutable_dummies()->set_rate(uint64_t{20} << 40);
    dump->mutable_dummies()->set_honest(5);
    dump->mutable_dummies()->set_max(1000);
  });
}

TEST(WholeLifeTest, OneSubmissionIsTheTarget) {
  const auto total = WholeLife(*TaskOf(1, 0.5));
  EXPECT_EQ(total.epsilon, 0.5);
  EXPECT_EQ(total.delta, 1e-6);
}

TEST(WholeLifeTest, SeveralMayAllWaitInOneBatch) {
  const auto total = WholeLife(*TaskOf(100, 0.1));
  EXPECT_DOUBLE_EQ(total.epsilon, 10);
  EXPECT_NEAR(total.delta, 1e-6 * std::expm1(10) / std::expm1(0.1), 1e-9);
  EXPECT_EQ(RoundedUp(total.delta, 3), "0.21");
}

TEST(WholeLifeTest, WhereThatSaysNothingTheReportsSpeakForThemselves) {
  // e^24 * 1e-6 is far above 1; 1000 reports of local epsilon 2 have 2000.
  for (const auto& [submissions, epsilon] : {std::pair(30, 1.0), std::pair(1000, 1.9)}) {
    const auto task = TaskOf(submissions, epsilon);
    const auto total = WholeLife(*task);
    EXPECT_DOUBLE_EQ(total.epsilon, submissions * task->scheme()->local_epsilon());
    EXPECT_GE(total.epsilon, submissions * task->scheme()->local_epsilon());
    EXPECT_EQ(total.delta, 0);
  }
  // A target above the local epsilon adds nothing to it.
  EXPECT_EQ(WholeLife(*TaskOf(1, 3)).epsilon, TaskOf(1, 3)->scheme()->local_epsilon());
  EXPECT_EQ(WholeLife(*TaskOf(1, 3)).delta, 0);
}

TEST(WholeLifeTest, WithoutALocalEpsilonNothingIsLeft) {
  const auto task = WithoutLocalEpsilon(1000);
  ASSERT_EQ(task->scheme()->local_epsilon(), kInfinity);
  const auto total = WholeLife(*task);
  EXPECT_EQ(total.epsilon, kInfinity);
  EXPECT_EQ(total.delta, 1);
  EXPECT_EQ(OverSeveral(*task, 1000, {kInfinity, 1}).epsilon, kInfinity);
  EXPECT_DOUBLE_EQ(OverSeveral(*task, 1000, {1e-3, 1e-6}).epsilon, 1);
}

TEST(WholeLifeTest, AnEpsilonOfZeroAddsUpItsDelta) {
  const auto total = OverSeveral(*TaskOf(7, 1), 7, {0, 1e-6});
  EXPECT_EQ(total.epsilon, 0);
  EXPECT_DOUBLE_EQ(total.delta, 7e-6);
}

// A task of 30 days with a period a day.
std::shared_ptr<const Task> Daily(uint32_t submissions, bool merge) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    task->mutable_target()->set_epsilon(0.5);
    task->mutable_target()->set_delta(1e-6);
    task->mutable_batch_policy()->set_interval(24 * 3600);
    task->mutable_batch_policy()->set_merge_periods(merge);
  });
}

TEST(WholeLifeTest, SubmissionsOfDifferentPeriodsNeverMeetAndCompose) {
  const auto composed = WholeLife(*Daily(10, false));
  EXPECT_LE(composed.epsilon, 5);
  EXPECT_GT(composed.epsilon, 4.9);
  EXPECT_GE(composed.delta, 1e-5);
  EXPECT_LT(composed.delta, 1.000001e-5);
  const auto merged = WholeLife(*Daily(10, true));
  EXPECT_DOUBLE_EQ(merged.epsilon, 5);
  EXPECT_GT(merged.delta, 2e-4) << "they may wait in one batch";
  const auto one = OverSeveral(*Daily(10, false), 1, {0.5, 1e-6});
  EXPECT_EQ(one.epsilon, 0.5);
  EXPECT_EQ(one.delta, 1e-6);
}

// Optimal composition of (0.5, 1e-6) at total delta k 1e-6, from an independent computation.
TEST(WholeLifeTest, ManyPeriodsCostLessThanTheirSum) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    wire->mutable_batch_policy()->set_interval(3600);
    wire->set_submissions_per_device(100);
  });
  EXPECT_NEAR(OverSeveral(*task, 30, {0.5, 1e-6}).epsilon, 15.0, 0.05);
  EXPECT_NEAR(OverSeveral(*task, 100, {0.5, 1e-6}).epsilon, 37.3, 0.05);
}

TEST(WholeLifeTest, ADeviceSubmitsAtMostOnceAPeriod) {
  EXPECT_EQ(MostSubmissions(*Daily(10, false)), 10);
  EXPECT_EQ(MostSubmissions(*Daily(100, false)), 30);
  EXPECT_EQ(MostSubmissions(*Daily(100, true)), 100);
}

TEST(WholeLifeTest, WarnsBeyondTheUsualPolicyAndNotAtIt) {
  EXPECT_EQ(WholeLifeWarning({kUsualTotalEpsilon, kUsualTotalDelta}, 7), "");
  EXPECT_EQ(WholeLifeWarning({10.00001, 0.2094}, 100),
            "over the 100 submissions a device may make the guarantee is epsilon 10.01, delta "
            "0.2094, weaker than the usual policy of a device (epsilon 4, delta 0.001 in total): "
            "fewer submissions a device or a smaller epsilon would mend that");
  EXPECT_THAT(WholeLifeWarning({4.0001, 1e-6}, 1), HasSubstr("the one submission"));
  EXPECT_THAT(WholeLifeWarning({1, 0.002}, 2), HasSubstr("delta 0.002"));
  EXPECT_THAT(WholeLifeWarning({kInfinity, 1}, 2), HasSubstr("the guarantee is nothing"));
}

}  // namespace
}  // namespace tombola
