#include "collector/ingest/witness.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/crypto/ed25519_sign.h"
#include "common/task/progress.h"
#include "common/task/shuffler_time.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

class WitnessTest : public ::testing::Test {
 protected:
  WitnessTest() : catalog_(*Catalog::Open(":memory:")), task_(MakeTestTask()) {}

  static std::string TimeOf(const crypto::SigningKey& key, absl::Time now = TestTaskStart()) {
    return ShufflerTime{.shuffler_key = key.public_key(), .time = now}.Serialise();
  }
  std::optional<absl::Time> Told(const crypto::SigningKey& key, absl::Time now = TestTaskStart()) {
    const std::string time = TimeOf(key, now);
    return witnesses_.Told(time, key.Sign(kShufflerTimeContext, time));
  }

  const std::unique_ptr<Catalog> catalog_;
  const std::shared_ptr<const Task> task_;
  const std::shared_ptr<FakeSteadyClock> steady_ = std::make_shared<FakeSteadyClock>();
  Witnesses witnesses_{catalog_.get(), steady_};
};

TEST_F(WitnessTest, IsAShufflerThatAnOpenTaskNames) {
  ASSERT_TRUE(catalog_->Add(task_).ok());
  EXPECT_EQ(Told(TestShufflerKey()), TestTaskStart());
  EXPECT_EQ(Told(TestCollectorKey()), std::nullopt) << "a key that no task names";
}

TEST_F(WitnessTest, IsAnyShufflerWhileThereIsNoTask) {
  EXPECT_EQ(Told(TestCollectorKey()), TestTaskStart());
  ASSERT_TRUE(catalog_->Add(task_).ok());
  EXPECT_EQ(Told(TestCollectorKey()), std::nullopt);
}

TEST_F(WitnessTest, IsAClosedTasksShufflerWhileNoneIsOpen) {
  ASSERT_TRUE(catalog_->Add(task_).ok());
  ASSERT_TRUE(catalog_->Close(task_->id()).ok());
  EXPECT_EQ(Told(TestShufflerKey()), TestTaskStart());
  EXPECT_EQ(Told(TestCollectorKey()), std::nullopt) << "its batches may still be under way";
}

TEST_F(WitnessTest, NothingCountsWithoutItsSignature) {
  ASSERT_TRUE(catalog_->Add(task_).ok());
  const std::string time = TimeOf(TestShufflerKey());
  EXPECT_EQ(witnesses_.Told(time, ""), std::nullopt);
  EXPECT_EQ(witnesses_.Told(time, TestShufflerKey().Sign(kProgressContext, time)), std::nullopt)
      << "signed for something else";
  EXPECT_EQ(witnesses_.Told(time, TestCollectorKey().Sign(kShufflerTimeContext, time)),
            std::nullopt);
  EXPECT_EQ(witnesses_.Told("x", TestShufflerKey().Sign(kShufflerTimeContext, "x")), std::nullopt);
}

TEST_F(WitnessTest, WhatWasSaidBeforeIsNotTakenAgain) {
  ASSERT_TRUE(catalog_->Add(task_).ok());
  const absl::Time first = TestTaskStart(), later = first + absl::Seconds(1);
  EXPECT_EQ(Told(TestShufflerKey(), first), first);
  EXPECT_EQ(Told(TestShufflerKey(), first), std::nullopt) << "the same";
  EXPECT_EQ(Told(TestShufflerKey(), later), later);
  EXPECT_EQ(Told(TestShufflerKey(), first), std::nullopt) << "an earlier one";
  EXPECT_EQ(Told(TestShufflerKey(), later - absl::Milliseconds(1)), std::nullopt)
      << "an earlier one that never came";
}

TEST_F(WitnessTest, AClockThatWasPutBackIsHeardAgainAfterTwoMinutes) {
  ASSERT_TRUE(catalog_->Add(task_).ok());
  const absl::Time wrong = TestTaskStart() + absl::Hours(24), right = TestTaskStart();
  EXPECT_EQ(Told(TestShufflerKey(), wrong), wrong);
  steady_->Advance(absl::Seconds(119));
  EXPECT_EQ(Told(TestShufflerKey(), right), std::nullopt);
  steady_->Advance(absl::Seconds(1));
  EXPECT_EQ(Told(TestShufflerKey(), right), right);
  EXPECT_EQ(Told(TestShufflerKey(), right), std::nullopt);
}

TEST_F(WitnessTest, OneShufflersTimeKeepsNoOtherOut) {
  const auto other = MakeTestTask([](v1::Task* task) {
    task->set_shuffler_key(std::string(AsView(TestCollectorKey().public_key())));
  });
  ASSERT_TRUE(catalog_->Add(task_).ok());
  ASSERT_TRUE(catalog_->Add(other).ok());
  const absl::Time ahead = TestTaskStart() + absl::Hours(1);
  EXPECT_EQ(Told(TestShufflerKey(), ahead), ahead);
  EXPECT_EQ(Told(TestCollectorKey()), TestTaskStart());
}

}  // namespace
}  // namespace tombola::collector
