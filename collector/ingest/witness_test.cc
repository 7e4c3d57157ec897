#include "collector/ingest/witness.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/crypto/ed25519_sign.h"
#include "common/task/progress.h"
#include "common/task/shuffler_time.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

class WitnessTest : public ::testing::Test {
 protected:
  WitnessTest() : catalog_(*Catalog::Open(":memory:")), task_(MakeTestTask()) {}

  static std::string TimeOf(const crypto::SigningKey& key) {
    return ShufflerTime{.shuffler_key = key.public_key(), .time = TestTaskStart()}.Serialise();
  }
  std::optional<absl::Time> Told(const crypto::SigningKey& key) const {
    const std::string time = TimeOf(key);
    return WitnessedTime(*catalog_, time, key.Sign(kShufflerTimeContext, time));
  }

  const std::unique_ptr<Catalog> catalog_;
  const std::shared_ptr<const Task> task_;
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
  EXPECT_EQ(WitnessedTime(*catalog_, time, ""), std::nullopt);
  EXPECT_EQ(WitnessedTime(*catalog_, time, TestShufflerKey().Sign(kProgressContext, time)),
            std::nullopt)
      << "signed for something else";
  EXPECT_EQ(WitnessedTime(*catalog_, time, TestCollectorKey().Sign(kShufflerTimeContext, time)),
            std::nullopt);
  EXPECT_EQ(WitnessedTime(*catalog_, "x", TestShufflerKey().Sign(kShufflerTimeContext, "x")),
            std::nullopt);
}

}  // namespace
}  // namespace tombola::collector
