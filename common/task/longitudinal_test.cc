// Tasks whose devices report in every period: what they need, and what memos guarantee.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "common/kind/kind.h"
#include "common/task/task.h"
#include "common/task/whole_life.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

// Memos of two values, over up to seven days.
void Memo(v1::Task* task) {
  task->set_submissions_per_device(7);
  task->mutable_batch_policy()->set_interval(86400);
  task->mutable_longitudinal()->set_mode(v1::LONGITUDINAL_MODE_MEMO);
  task->mutable_longitudinal()->set_values(2);
  task->mutable_target()->set_epsilon(50);
}

TEST(LongitudinalTaskTest, MemosGuaranteeWhatTheySayAndNothingElse) {
  const auto once = MakeTestTask();
  const auto task = MakeTestTask(&Memo);
  const double local = 2 * once->scheme()->local_epsilon();
  EXPECT_EQ(task->kind().memo_values(), 2);
  EXPECT_NEAR(task->scheme()->local_epsilon(), local, 1e-9);
  EXPECT_EQ(task->scheme()->EpsilonAt(1000000, 1e-6).value(), task->scheme()->local_epsilon());
  EXPECT_EQ(task->scheme()->Delta(1000000, local * 0.999).value(), 1);
  EXPECT_EQ(task->scheme()->Delta(1, local * 1.001).value(), 0);
  EXPECT_EQ(task->scheme()->SmallestHonest(50, 1e-6).value(), 1);
  EXPECT_TRUE(absl::IsFailedPrecondition(task->scheme()->SmallestHonest(0.1, 1e-6).status()));
  const accounting::EpsilonDelta total = WholeLife(*task);
  EXPECT_EQ(total.epsilon, task->scheme()->local_epsilon()) << "not seven times";
  EXPECT_EQ(total.delta, 0);
  EXPECT_THAT(WhyThatMuch(*task, 1), HasSubstr("does not hide whether or when the value changes"));
  EXPECT_THAT(WhyThatMuch(*task, 7), HasSubstr("is stale once it holds a value"));
}

TEST(LongitudinalTaskTest, FreshNoiseIsWhatItWasBefore) {
  const auto task = MakeTestTask([](v1::Task* t) {
    Memo(t);
    t->mutable_longitudinal()->set_mode(v1::LONGITUDINAL_MODE_FRESH);
    t->mutable_longitudinal()->set_values(0);
  });
  EXPECT_EQ(task->kind().memo_values(), 0);
  EXPECT_FALSE(task->scheme()->memoised());
}

TEST(LongitudinalTaskTest, NamesTheFieldAndItsBound) {
  const auto refused = [](const std::function<void(v1::Task*)>& change, const char* message) {
    v1::Task task = TestTaskProto();
    Memo(&task);
    change(&task);
    const absl::Status status = Task::Parse(task.SerializeAsString()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  };
  refused([](v1::Task* t) { t->mutable_longitudinal()->clear_mode(); },
          "task.longitudinal.mode must be LONGITUDINAL_MODE_FRESH (1)");
  refused([](v1::Task* t) { t->mutable_longitudinal()->set_values(0); },
          "task.longitudinal.values must be between 1 and submissions_per_device, 7, is 0");
  refused([](v1::Task* t) { t->mutable_longitudinal()->set_values(8); }, "7, is 8");
  refused([](v1::Task* t) { t->mutable_longitudinal()->set_mode(v1::LONGITUDINAL_MODE_FRESH); },
          "task.longitudinal.values must be 0 but for memos");
  refused([](v1::Task* t) { t->set_submissions_per_device(1); },
          "task.submissions_per_device must be 2 or more");
  refused([](v1::Task* t) { t->mutable_batch_policy()->clear_interval(); },
          "task.batch_policy.interval must be there");
  refused([](v1::Task* t) { t->mutable_batch_policy()->set_merge_periods(true); },
          "without merge_periods");
  refused(
      [](v1::Task* t) {
        v1::Dummies* const dummies = t->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
        dummies->set_rate(uint64_t{1} << 40);
        dummies->set_honest(5);
        dummies->set_max(20);
      },
      "task.mechanism must be grr, local_hash on a plane or rappor for memos: pure_dump");
  refused(
      [](v1::Task* t) {
        v1::LocalHash* const hash = t->mutable_mechanism()->mutable_local_hash();
        hash->set_family(v1::HASH_FAMILY_AFFINE);
        hash->set_range(16);
        hash->set_lane_bits(32);
      },
      "local_hash has nothing that a device could keep");
}

}  // namespace
}  // namespace tombola
