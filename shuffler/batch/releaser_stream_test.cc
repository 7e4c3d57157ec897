// What becomes of the periods and nodes of a stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/task/manifest.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/batch/releaser_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// Four periods of a day, ten minutes of grace; the nodes begin after 0, 0, 2 and 0 and need 5, 10,
// 5 and 20 submissions.
class ReleaserStreamTest : public ReleaserHarness {
 protected:
  ReleaserStreamTest()
      : ReleaserHarness([](v1::Task* task) {
          MakeStream({0, 0, 2, 0}, task);
          task->mutable_target()->set_epsilon(20);
        }) {
    ServeKeys(1);
  }

  void ServeKeys(uint64_t version, const std::vector<uint64_t>& struck = {}, bool closed = false) {
    v1::Catalog wire = CatalogOf(version, *task_, closed);
    *wire.mutable_keys() = StreamKeys(10 + version, *task_, struck);
    ASSERT_TRUE(catalog_->Update(wire).ok());
  }
  // With one report for each node; those that were sent with submission `replayed` and the ones
  // after it, under ids of their own, if it is not 0.
  void Submit(int count, uint64_t period, int replayed = 0) {
    std::string ids;
    std::vector<std::string> reports;
    const std::vector<uint64_t> nodes = task_->PartsOf(period);
    for (size_t g = 0; g < nodes.size(); ++g) reports.emplace_back();
    for (int i = 0; i < count; ++i) {
      ids += std::string(10, 'i') + absl::StrCat(absl::Dec(++serial_, absl::kZeroPad6));
      const std::string number = absl::StrCat(replayed == 0 ? serial_ : replayed + i);
      for (size_t g = 0; g < nodes.size(); ++g) {
        const std::string said = absl::StrCat(number, "/", nodes[g], "/");
        reports[g] += said + std::string(task_->sealed_bytes() - said.size(), 'r');
      }
    }
    const auto window = static_cast<uint32_t>(task_->WindowAt(clock_.Now()));
    SubmitBatch batch = {{task_->id(), NodeKeyId(period), period}, window, AsBytes(ids), {}, {}};
    for (size_t g = 0; g < nodes.size(); ++g) {
      batch.groups.push_back({{nodes[g], NodeKeyId(nodes[g])}, {}, AsBytes(reports[g])});
    }
    std::promise<absl::Status> done;
    store_->Accept(batch, [&](auto outcomes) { done.set_value(outcomes.status()); });
    const absl::Status accepted = done.get_future().get();
    ASSERT_TRUE(accepted.ok()) << accepted;
  }
  void GoToEndOf(uint64_t period) {
    clock_.Advance(task_->periods()->Closes(period) - clock_.Now());
  }

  // Submissions by period, of what waits for that, and by node.
  std::map<uint64_t, int64_t> HeldFor(bool periods) const {
    std::map<uint64_t, int64_t> held;
    for (const HeldInfo& info : store_->Held()) {
      if (info.for_period == periods) held[info.of.part] += info.submissions;
    }
    return held;
  }
  std::map<uint64_t, int64_t> Released() const {
    std::map<uint64_t, int64_t> released;
    for (const Manifest& batch : store_->Outbox()) released[batch.of.part] += batch.submissions;
    return released;
  }
};

TEST_F(ReleaserStreamTest, APeriodIsScatteredWhenItIsOverAndItsNodeLeaves) {
  Submit(6, 1);
  EXPECT_FALSE(releaser_.Step());
  GoToEndOf(1);
  clock_.Advance(-absl::Seconds(1));
  Submit(1, 1);  // late, within the grace
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(HeldFor(true), ElementsAre(Pair(1, 7)));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 7)));
  EXPECT_THAT(HeldFor(true), IsEmpty());
  EXPECT_THAT(HeldFor(false), ElementsAre(Pair(2, 7), Pair(4, 7)));
  const Manifest batch = store_->Outbox().front();
  EXPECT_EQ(batch.of, (BatchKey{task_->id(), NodeKeyId(1), 1}));
  EXPECT_FALSE(releaser_.Step()) << "longer nodes wait for their last period";
}

TEST_F(ReleaserStreamTest, AVoidNodeIsDestroyedAndALongerOneBringsItsPeriodBack) {
  Submit(4, 1);
  GoToEndOf(1);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(HeldFor(false), ElementsAre(Pair(2, 4), Pair(4, 4)));
  EXPECT_EQ(store_->Counters(task_->id()).expired, 4);
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("tombola_shuffler_submissions_expired_total{cause=\"period\"} 4"));
  Submit(7, 2);
  GoToEndOf(2);
  EXPECT_TRUE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(2, 11)));
  Submit(5, 3);
  GoToEndOf(3);
  EXPECT_TRUE(releaser_.Step());
  // 16 of 20: nothing of the fourth node ever leaves.
  Submit(3, 4);
  GoToEndOf(4);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(2, 11), Pair(3, 5)));
  EXPECT_THAT(store_->Held(), IsEmpty());
  const TaskCounters counters = store_->Counters(task_->id());
  EXPECT_EQ(counters.expired, 4 + 19);
  EXPECT_EQ(counters.accepted, 4 + 19 + 11 + 5);
}

// Whoever saw sealed reports and sends them again when nobody knows them any more.
TEST_F(ReleaserStreamTest, ANodeThatFallsShortWithoutWhatIsThereTwiceIsVoid) {
  Submit(5, 1);
  GoToEndOf(1);
  EXPECT_TRUE(releaser_.Step());
  Submit(4, 2);
  Submit(1, 2, /*replayed=*/3);
  EXPECT_THAT(HeldFor(true), ElementsAre(Pair(2, 5)));
  GoToEndOf(2);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 5)));
  EXPECT_THAT(HeldFor(false), ElementsAre(Pair(4, 10)));
  EXPECT_EQ(store_->Counters(task_->id()).expired, 10);
}

TEST_F(ReleaserStreamTest, PeriodsThatEndedWhileItWasDownAreScatteredBeforeNodesAreDecided) {
  Submit(6, 1);
  Submit(5, 2);
  Submit(5, 3);
  Submit(5, 4);
  GoToEndOf(4);
  Releaser again(Parts());
  EXPECT_TRUE(again.Step());
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 6), Pair(2, 11), Pair(3, 5), Pair(4, 21)));
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_->id()).expired, 0);
}

TEST_F(ReleaserStreamTest, NoPeriodEndsByAClockInDoubt) {
  Submit(6, 1);
  clock_.SetDoubt(true);
  GoToEndOf(4);
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(HeldFor(true), ElementsAre(Pair(1, 6)));
}

TEST_F(ReleaserStreamTest, WhenTheTaskIsClosedNodesThatHaveEnoughLeave) {
  Submit(9, 1);
  GoToEndOf(1);
  EXPECT_TRUE(releaser_.Step());
  Submit(3, 2);
  ServeKeys(2, {}, /*closed=*/true);
  EXPECT_TRUE(releaser_.Step());
  // The second has 12 of 10, the fourth 12 of 20.
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 9), Pair(2, 12)));
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_->id()).expired, 12);
  EXPECT_THAT(metrics_.Text(),
              HasSubstr("tombola_shuffler_submissions_expired_total{cause=\"guarantee\"} 12"));
}

TEST_F(ReleaserStreamTest, ANodeWaitsForAPeriodThatCouldNotBeScattered) {
  store_.reset();
  bool full = true;
  store_ = *EmbeddedStore::Open(
      {.directory = scratch_.In("store"), .fault = [&](absl::string_view point) {
         return full && point == "scatter/detached" ? absl::ResourceExhaustedError("disk full")
                                                    : absl::OkStatus();
       }});
  ASSERT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  Submit(6, 1);
  GoToEndOf(1);
  Releaser releaser(Parts());
  EXPECT_FALSE(releaser.Step());
  full = false;
  EXPECT_TRUE(releaser.Step());
  full = true;
  Submit(6, 2);
  GoToEndOf(2);
  EXPECT_FALSE(releaser.Step());
  EXPECT_THAT(HeldFor(true), ElementsAre(Pair(2, 6)));
  EXPECT_THAT(HeldFor(false), ElementsAre(Pair(2, 6), Pair(4, 6))) << "destroyed too early";
  EXPECT_THAT(metrics_.Text(), HasSubstr("\ntombola_shuffler_stuck_periods 1\n"));
  full = false;
  EXPECT_TRUE(releaser.Step());
  EXPECT_THAT(metrics_.Text(), HasSubstr("\ntombola_shuffler_stuck_periods 0\n"));
  EXPECT_THAT(Released(), ElementsAre(Pair(1, 6), Pair(2, 12)));
  store_.reset();  // before `full` goes
}

// What it is in doubt of the store does not show any more.
TEST_F(ReleaserStreamTest, ANodeWaitsForAScatterInDoubtUntilTheStoreIsReopened) {
  store_.reset();
  store_ = *EmbeddedStore::Open(
      {.directory = scratch_.In("store"), .fault = [](absl::string_view point) {
         return point == "scatter/count" ? absl::UnavailableError("input/output error")
                                         : absl::OkStatus();
       }});
  ASSERT_TRUE(store_->AddTask(task_->id(), static_cast<int64_t>(task_->sealed_bytes()), 1).ok());
  Submit(6, 4);
  GoToEndOf(4);
  {
    Releaser releaser(Parts());
    EXPECT_FALSE(releaser.Step());
    EXPECT_FALSE(releaser.Step());
    EXPECT_THAT(store_->Held(), IsEmpty());
    EXPECT_EQ(store_->Counters(task_->id()).accepted, 6);
  }
  store_.reset();
  store_ = *EmbeddedStore::Open({.directory = scratch_.In("store")});
  EXPECT_THAT(HeldFor(true), ElementsAre(Pair(4, 6)));
}

TEST_F(ReleaserStreamTest, OfAPeriodWhoseKeyIsGoneTheLongerNodesKeepTheirs) {
  Submit(6, 1);
  ServeKeys(2, /*struck=*/{1});
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(HeldFor(true), IsEmpty());
  EXPECT_THAT(HeldFor(false), ElementsAre(Pair(2, 6), Pair(4, 6)));
  EXPECT_EQ(store_->Counters(task_->id()).expired, 6);
}

// A collector that says otherwise of a key than when the reports came.
TEST_F(ReleaserStreamTest, ABatchDoesNotLeaveUnderAKeyThatIsForOthers) {
  Submit(6, 1);
  GoToEndOf(1);
  v1::Catalog wire = CatalogOf(2, *task_);
  v1::KeyList list;
  ASSERT_TRUE(list.ParseFromString(StreamKeys(12, *task_).key_list()));
  list.mutable_keys(1)->set_part(2);
  list.mutable_keys(2)->set_part(1);
  wire.mutable_keys()->set_key_list(list.SerializeAsString());
  wire.mutable_keys()->set_signature(
      TestCollectorKey().Sign(absl::StrCat(kKeyListContext, wire.keys().key_list())));
  ASSERT_TRUE(catalog_->Update(wire).ok());
  EXPECT_FALSE(releaser_.Step());
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(HeldFor(false)[1], 6);
  EXPECT_THAT(metrics_.Text(), HasSubstr("tombola_shuffler_releases_failed_total 1"));
}

}  // namespace
}  // namespace tombola::shuffler
