// What becomes of the periods of a task.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "common/task/manifest.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/batch/releaser_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Periods of ten minutes, each open for a minute more on both sides; 5 submissions suffice, 10 are
// planned.
class ReleaserPeriodsTest : public ReleaserHarness {
 protected:
  ReleaserPeriodsTest()
      : ReleaserHarness([](v1::Task* task) { task->mutable_batch_policy()->set_interval(600); }) {}

  void Submit(int count, uint64_t period) { SubmitTo(TestKeyId(7), period, count); }
  // Submissions by period.
  std::map<uint64_t, int64_t> Held() const {
    std::map<uint64_t, int64_t> held;
    for (const HeldInfo& info : store_->Held()) held[info.of.part] += info.submissions;
    return held;
  }
  std::map<uint64_t, int64_t> Released() const {
    std::map<uint64_t, int64_t> released;
    for (const Manifest& batch : store_->Outbox()) released[batch.of.part] += batch.submissions;
    return released;
  }
  void GoTo(absl::Duration after_start) {
    clock_.Advance(TestTaskStart() + after_start - clock_.Now());
  }
};

TEST_F(ReleaserPeriodsTest, APeriodLeavesAsOneBatchAfterItsEndHoweverManyThereAre) {
  Submit(30, 1);
  EXPECT_FALSE(releaser_.Step());
  GoTo(absl::Minutes(10));
  Submit(3, 2);
  Submit(2, 1);  // late, within the grace
  EXPECT_FALSE(releaser_.Step()) << "the grace is not over";
  GoTo(absl::Minutes(11));
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 32)));
  EXPECT_THAT(Held(), ElementsAre(Pair(2, 3)));
  const auto header = store_->ReadManifest(store_->Outbox()[0].batch);
  ASSERT_TRUE(header.ok());
  v1::BatchHeader wire;
  ASSERT_TRUE(wire.ParseFromString(*header));
  EXPECT_EQ(Manifest::Parse(wire.manifest())->of.part, 1u);
}

TEST_F(ReleaserPeriodsTest, APeriodThatFallsShortExpiresAndIsNotCarriedOver) {
  Submit(4, 1);
  GoTo(absl::Minutes(10));
  Submit(6, 2);
  GoTo(absl::Minutes(11));
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(Held(), ElementsAre(Pair(2, 6)));
  EXPECT_EQ(store_->Counters(task_->id()).expired, 4);
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("tombola_shuffler_submissions_expired_total{cause=\"period\"} 4"));
  GoTo(absl::Minutes(21));
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(2, 6)));
}

TEST_F(ReleaserPeriodsTest, APeriodThatEndedWhileItWasDownLeavesAtTheStart) {
  Submit(6, 1);
  Submit(3, 2);
  GoTo(absl::Hours(5));
  Releaser again(Parts());
  EXPECT_TRUE(again.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 6)));
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(ReleaserPeriodsTest, NoPeriodEndsByAClockInDoubt) {
  Submit(6, 1);
  Submit(3, 2);
  clock_.SetDoubt(true);
  GoTo(absl::Hours(5));
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(Held(), ElementsAre(Pair(1, 6), Pair(2, 3)));
}

TEST_F(ReleaserPeriodsTest, WhenTheTaskIsClosedItsPresentPeriodEnds) {
  Submit(6, 1);
  Submit(2, 2);
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_, /*closed=*/true)).ok());
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 6)));
  EXPECT_THAT(Held(), IsEmpty());
}

TEST_F(ReleaserPeriodsTest, AKeyThatClosesDoesNotCutAPeriodShort) {
  Submit(6, 13);  // from two hours on
  v1::Catalog rotated = CatalogOf(2, *task_);
  *rotated.mutable_keys() = RotatedKeys(2, 7, 8);  // key 7 closes after two hours
  ASSERT_TRUE(catalog_->Update(rotated).ok());
  GoTo(absl::Minutes(125));
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(Held(), ElementsAre(Pair(13, 6)));
  GoTo(absl::Minutes(131));
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(13, 6)));
}

}  // namespace
}  // namespace tombola::shuffler
