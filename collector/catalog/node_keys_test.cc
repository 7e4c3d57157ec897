// The keys of streams' nodes, through their lives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "collector/catalog/key_ring.h"
#include "collector/catalog/key_times.h"
#include "collector/catalog/test_key_ring.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Fenwick's structure; periods of a day, so that the grace is ten minutes.
std::shared_ptr<const Task> Stream(const std::vector<uint32_t>& start = {0, 0, 2, 0, 4, 4, 6, 0}) {
  return MakeTestTask([&](v1::Task* task) { MakeStream(start, task); });
}

// Many short periods, each a node.
std::shared_ptr<const Task> ShortPeriods(uint32_t periods, absl::Duration length) {
  return MakeTestTask([&](v1::Task* task) {
    std::vector<uint32_t> start(periods);
    for (uint32_t node = 0; node < periods; ++node) start[node] = node;
    MakeStream(start, task);
    const auto seconds = static_cast<uint64_t>(absl::ToInt64Seconds(length));
    task->mutable_batch_policy()->set_interval(seconds);
    task->set_not_after(task->not_before() + static_cast<int64_t>(periods * seconds));
  });
}

class NodeKeysTest : public KeyRingTest {
 protected:
  std::vector<uint64_t> NodesIn(const KeyList& list) {
    std::vector<uint64_t> nodes;
    for (const HpkeKey& key : list.keys()) {
      if (key.task.has_value()) nodes.push_back(key.part);
    }
    return nodes;
  }
  HpkeKey KeyOf(uint64_t node) {
    const KeyList list = Verified();
    for (const HpkeKey& key : list.keys()) {
      if (key.task.has_value() && key.part == node) return key;
    }
    ADD_FAILURE() << "no key of node " << node;
    return {};
  }

  const std::shared_ptr<const Task> stream_ = Stream();
};

TEST(NodeLivesTest, ANodeLivesFromItsFirstPeriodToItsLastWithTheirGrace) {
  const auto stream = Stream();
  const KeyTimes times = {
      .announce = absl::Hours(5), .window = absl::Hours(7), .delivery = absl::Hours(9)};
  const std::vector<NodeLife> lives = NodeLives(*stream, times);
  ASSERT_EQ(lives.size(), 8u);
  for (const NodeLife& life : lives) {
    const uint64_t first = stream->nodes()->FirstPeriod(life.node);
    EXPECT_EQ(life.opens, stream->periods()->Opens(first)) << life.node;
    EXPECT_EQ(life.ends, stream->periods()->Closes(life.node));
    EXPECT_EQ(life.announced, life.opens - absl::Hours(5));
    EXPECT_EQ(life.closes, life.ends + absl::Hours(7));
    EXPECT_EQ(life.gone, life.closes + absl::Hours(9));
  }
}

TEST(NodeLivesTest, ShortPeriodsShortenTheTimesAndLivesAreWholeSeconds) {
  const auto stream = ShortPeriods(5, absl::Seconds(15));  // whose grace is 1.5 seconds
  const absl::Duration most = 512 * absl::Seconds(15);
  const std::vector<NodeLife> lives = NodeLives(*stream, KeyTimes());
  EXPECT_EQ(lives[1].opens, TestTaskStart() + absl::Seconds(13));
  EXPECT_EQ(lives[1].ends, TestTaskStart() + absl::Seconds(32));
  EXPECT_EQ(lives[1].announced, lives[1].opens - most);
  EXPECT_EQ(lives[1].closes, lives[1].ends + most);
  EXPECT_EQ(lives[1].gone, lives[1].closes + most);
}

TEST_F(NodeKeysTest, ANewStreamHasTheKeysOfItsFirstPeriodAtOnceAndOthersAreAnnounced) {
  tasks_ = {{.task = stream_}};
  EXPECT_TRUE(Tend());
  EXPECT_FALSE(Tend());
  const KeyList list = Verified();
  // Announced two days before they open: those whose first period is 1, 2 or 3.
  EXPECT_THAT(NodesIn(list), ElementsAre(1, 2, 4, 8, 3));
  for (const uint64_t node : stream_->nodes()->Cover(1)) {
    const auto key = list.NodeKeyAt(stream_->id(), node, clock_.Now());
    ASSERT_TRUE(key.ok()) << key.status();
    EXPECT_TRUE(key->IsFor(*stream_, node));
    EXPECT_TRUE(Opens(*key));
  }
  EXPECT_FALSE(Active().task.has_value()) << "the general key is as it was";
  EXPECT_EQ(KeyOf(3).not_before, Day(2) - absl::Minutes(10));
  EXPECT_EQ(KeyOf(3).not_after, Day(3) + absl::Minutes(10));
  EXPECT_EQ(KeyOf(3).closes, KeyOf(3).not_after + absl::Hours(24 * 5));
}

TEST_F(NodeKeysTest, EveryPeriodHasTheKeysOfItsNodesAndANodeKeepsItsKey) {
  tasks_ = {{.task = stream_}};
  std::vector<KeyId> keys(9);
  for (uint64_t period = 1; period <= 8; ++period) {
    // As seldom as once a period, and over a restart.
    Until(stream_->periods()->Begins(period));
    Tend();
    if (period == 5) Restart();
    for (const absl::Time moment :
         {stream_->periods()->Begins(period), stream_->periods()->Ends(period)}) {
      for (const uint64_t node : stream_->nodes()->Cover(period)) {
        const auto key = Verified().NodeKeyAt(stream_->id(), node, moment);
        ASSERT_TRUE(key.ok()) << key.status();
        if (keys[node] == KeyId{}) keys[node] = key->id;
        EXPECT_EQ(key->id, keys[node]) << node;
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << "each node its own";
}

TEST_F(NodeKeysTest, AKeyOpensUntilItsWindowAndTheTimeForDeliveriesAreOver) {
  tasks_ = {{.task = stream_}};
  Tend();
  const HpkeKey first = KeyOf(1);
  const absl::Time gone = first.closes + absl::Hours(24 * 3);
  Until(gone - absl::Seconds(1));
  Tend();
  EXPECT_TRUE(Opens(first));
  Until(gone);
  Tend();
  EXPECT_FALSE(Opens(first));
  EXPECT_FALSE(std::filesystem::exists(KeyPath(first.id)));
  EXPECT_FALSE(Verified().Find(first.id).has_value());
  Restart();
  Tend();
  EXPECT_EQ(Verified().NodeKeyAt(stream_->id(), 1, Day(0)).ok(), false) << "never a second one";
}

TEST_F(NodeKeysTest, ATaskThatIsClosedEndsItsKeysAndThoseThatNobodySealedToAreDestroyed) {
  tasks_ = {{.task = stream_}};
  Tend();
  const HpkeKey open = KeyOf(4), announced = KeyOf(3);
  Until(Day(1));
  tasks_[0].closed = true;
  EXPECT_TRUE(Tend());
  EXPECT_FALSE(Verified().NodeKeyAt(stream_->id(), 4, Day(1)).ok());
  EXPECT_EQ(KeyOf(4).not_after, Day(1));
  EXPECT_EQ(KeyOf(4).closes, Day(6));
  EXPECT_TRUE(Opens(open)) << "what was sealed to it may be on its way";
  EXPECT_FALSE(Opens(announced));
  EXPECT_FALSE(Tend());
  Until(Day(9));
  Tend();
  EXPECT_THAT(NodesIn(Verified()), IsEmpty());
}

TEST_F(NodeKeysTest, AKeyOfANodeThatIsOpenIsNotDestroyedAndALaterOneIsMadeAnew) {
  tasks_ = {{.task = stream_}};
  Tend();
  const absl::Status refused = ring_->Destroy(KeyOf(8).id);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("node 8"));
  const HpkeKey announced = KeyOf(3);
  ASSERT_TRUE(ring_->Destroy(announced.id).ok());
  Tend();
  EXPECT_NE(KeyOf(3).id, announced.id);
  const HpkeKey over = KeyOf(1);
  Until(Day(2));
  ASSERT_TRUE(ring_->Destroy(over.id).ok());
  Tend();
  EXPECT_FALSE(Verified().Find(over.id).has_value());
  EXPECT_THAT(NodesIn(Verified()), ::testing::Not(::testing::Contains(1)));
}

TEST_F(NodeKeysTest, RotationsAreOfTheGeneralKeyAlone) {
  tasks_ = {{.task = stream_}};
  Tend();
  const HpkeKey general = Active(), node = KeyOf(8);
  Until(Day(1));
  ASSERT_TRUE(ring_->Rotate(std::nullopt, random_).ok());
  EXPECT_NE(Active().id, general.id);
  EXPECT_EQ(Active().not_after, Day(11)) << "no key of a node cuts it short";
  EXPECT_EQ(KeyOf(8).id, node.id);
  EXPECT_EQ(KeyOf(8).not_after, node.not_after);
}

TEST_F(NodeKeysTest, OnlyTheNodesReportsAreOpenedWithItsKey) {
  tasks_ = {{.task = stream_}};
  Tend();
  const auto histogram = MakeTestTask();
  const KeyId node = KeyOf(2).id, general = Active().id;
  EXPECT_TRUE(ring_->PrivateKeyFor(*stream_, 2, node).ok());
  EXPECT_TRUE(ring_->PrivateKeyFor(*histogram, 0, general).ok());
  for (const auto& [task, part, key] :
       {std::tuple(stream_, uint64_t{1}, node), std::tuple(histogram, uint64_t{0}, node),
        std::tuple(stream_, uint64_t{2}, general), std::tuple(Stream({0, 0}), uint64_t{2}, node)}) {
    const absl::Status status = ring_->PrivateKeyFor(*task, part, key).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("key_id"));
  }
  EXPECT_TRUE(absl::IsNotFound(ring_->PrivateKeyFor(*stream_, 2, KeyId{}).status()));
  // Also of one that is gone.
  Until(KeyOf(1).closes + absl::Hours(24 * 3));
  const KeyId gone = KeyOf(1).id;
  Tend();
  EXPECT_TRUE(absl::IsFailedPrecondition(ring_->PrivateKeyFor(*stream_, 1, gone).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ring_->PrivateKeyFor(*stream_, 2, gone).status()));
}

TEST_F(NodeKeysTest, ManyKeysAreMadeALittleAtATimeAndTheFirstFirst) {
  tasks_ = {{.task = ShortPeriods(200, absl::Seconds(60))}};
  Tend();
  std::vector<uint64_t> nodes = NodesIn(Verified());
  ASSERT_EQ(nodes.size(), 64u);
  EXPECT_EQ(nodes.front(), 1u);
  EXPECT_EQ(nodes.back(), 64u);
  for (int i = 0; i < 3; ++i) Tend();
  EXPECT_EQ(NodesIn(Verified()).size(), 200u);
  EXPECT_FALSE(Tend());
}

TEST_F(NodeKeysTest, AStreamWithMoreKeysAtOnceThanThereIsRoomForIsRefused) {
  // 512 periods for each of announce, window and delivery, and the one that is open.
  times_ = {.lifetime = absl::Hours(24 * 365)};
  times_.announce = times_.window = times_.delivery = absl::Hours(24 * 30);
  Restart();
  const auto large = ShortPeriods(4096, absl::Seconds(60));
  EXPECT_TRUE(ring_->CheckRoom(*large).ok()) << ring_->CheckRoom(*large);
  EXPECT_TRUE(ring_->CheckRoom(*MakeTestTask()).ok());
  tasks_ = {{.task = large}};
  const auto other = ShortPeriods(4000, absl::Seconds(60));
  const absl::Status refused = ring_->CheckRoom(*other);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("at most 3000"));
  EXPECT_TRUE(ring_->CheckRoom(*ShortPeriods(1000, absl::Seconds(60))).ok());
  tasks_[0].closed = true;
  EXPECT_TRUE(ring_->CheckRoom(*other).ok());
}

TEST_F(NodeKeysTest, KeysOfNodesThatWereDestroyedLongAgoAreForgotten) {
  tasks_ = {{.task = stream_}};
  Tend();
  const HpkeKey first = KeyOf(1);
  Until(NodeLives(*stream_, times_).back().gone);
  Tend();
  const auto listed = [&] {
    const v1::KeyInfo info = ring_->Describe();
    return std::any_of(info.history().begin(), info.history().end(),
                       [&](const v1::KeyHistory& key) { return key.key_id() == AsView(first.id); });
  };
  EXPECT_TRUE(listed());
  const auto gone = [&] { return ring_->PrivateKeyFor(*stream_, 1, first.id).status().code(); };
  EXPECT_EQ(gone(), absl::StatusCode::kFailedPrecondition);
  Until(clock_.Now() + kNodeKeysKnown + absl::Hours(1));
  Tend();
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_FALSE(listed());
    EXPECT_GE(ring_->Describe().history_size(), 1) << "the general keys stay";
    EXPECT_EQ(gone(), absl::StatusCode::kFailedPrecondition)
        << "a batch that comes now has expired, and is not asked for for ever";
    EXPECT_TRUE(absl::IsNotFound(ring_->PrivateKey(first.id).status()));
  }
}

}  // namespace
}  // namespace tombola::collector
