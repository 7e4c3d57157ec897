// How the embedded store keeps a stream: what is left on disk, and what a failing disk does.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/base/encoding.h"
#include "common/base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_harness.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

class StoreStreamTest : public StoreTest {
 protected:
  StoreStreamTest() {
    options_.fault = [this](absl::string_view point) {
      MutexLock lock(mutex_);
      return point == failing_ ? absl::ResourceExhaustedError("disk full") : absl::OkStatus();
    };
    Reopen();
  }
  // The committer closes last, and still asks for faults.
  ~StoreStreamTest() override { store_.reset(); }

  void Fail(const std::string& point) {
    MutexLock lock(mutex_);
    failing_ = point;
  }
  void SendToPeriod(const std::vector<uint64_t>& numbers) {
    const auto outcomes =
        SubmitToPeriod(*store_, {.numbers = numbers, .period = 1, .nodes = {1, 2, 4}});
    ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  }
  std::map<std::string, std::string> HeldFiles() const {
    return FilesIn(options_.directory + "/held");
  }
  // All of the nodes, each with these submissions and nothing else.
  void ExpectNodesWith(const std::vector<uint64_t>& numbers) {
    for (const uint64_t node : {1, 2, 4}) {
      const auto totals = TryRelease(*store_, OfNode(node));
      ASSERT_TRUE(totals.ok()) << totals.status();
      EXPECT_THAT(*NumbersIn(*store_, totals->batch),
                  UnorderedElementsAreArray(InNode(numbers, node)));
    }
    EXPECT_THAT(store_->Held(), IsEmpty());
    EXPECT_EQ(store_->Counters(task_).accepted, static_cast<int64_t>(3 * numbers.size()));
  }

 private:
  Mutex mutex_;
  std::string failing_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(StoreStreamTest, AScatterThatFailsEarlyLeavesNothingAndCanBeRepeated) {
  SendToPeriod(Range(1, 20));
  Reopen();
  const auto before = HeldFiles();
  for (const std::string point :
       {"scatter/detached", "scatter/written", "scatter/remembered", "scatter/named"}) {
    Fail(point);
    EXPECT_TRUE(absl::IsResourceExhausted(store_->Scatter(OfNode(1)).status())) << point;
    Fail("");
    ASSERT_THAT(store_->Held(), SizeIs(1)) << point;
    EXPECT_TRUE(store_->Held().front().for_period);
    EXPECT_EQ(store_->Held().front().submissions, 20);
    EXPECT_EQ(HeldFiles(), before) << point;
  }
  EXPECT_EQ(*store_->Scatter(OfNode(1)), 20);
  ExpectNodesWith(Range(1, 20));
}

TEST_F(StoreStreamTest, AScatterInDoubtIsLeftToTheNextStart) {
  SendToPeriod({1, 2});
  Fail("scatter/count");
  EXPECT_THAT(std::string(store_->Scatter(OfNode(1)).status().message()), HasSubstr("in doubt"));
  Fail("");
  EXPECT_THAT(store_->Held(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_).accepted, 6);
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Scatter(OfNode(1)).status()));
  Reopen();
  EXPECT_EQ(*store_->Scatter(OfNode(1)), 2);
  ExpectNodesWith({1, 2});
}

TEST_F(StoreStreamTest, APeriodsLogThatOutlivesItsScatterIsRemovedAtTheNextStart) {
  SendToPeriod({1, 2});
  Fail("scatter/counted");
  EXPECT_EQ(*store_->Scatter(OfNode(1)), 2);
  Fail("");
  EXPECT_THAT(HeldFiles(), SizeIs(4));
  Reopen();
  EXPECT_THAT(HeldFiles(), SizeIs(3));
  ExpectNodesWith({1, 2});
}

// Several megabytes, so that a node's log has several frames.
TEST_F(StoreStreamTest, AfterScatterNothingOnDiskTellsWhatCameTogether) {
  const std::vector<uint64_t> numbers = Range(1, 15000);
  SendToPeriod(numbers);
  SendToPeriod(Range(15001, 30000));
  const std::string id(AsView(SubmissionDigest(task_, AsBytes(IdOf(7))).bytes));
  EXPECT_THAT(HeldFiles(), Each(Pair(::testing::_, HasSubstr(id))));
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  ASSERT_THAT(HeldFiles(), SizeIs(3));
  for (const auto& [name, bytes] : HeldFiles()) {
    EXPECT_THAT(bytes, StartsWith("TMBLNODE"));
    EXPECT_FALSE(absl::StrContains(bytes, id));
    const std::string path = options_.directory + "/held/" + name;
    const auto log = RecoverLogChunks(path, [&](FrameChunk& chunk) {
      for (const FrameChunk::Frame& frame : chunk.frames) {
        absl::string_view before;
        ForEachGroup(chunk.Payload(frame), frame.submissions,
                     {.ids = false, .sealed_bytes = kSealedBytes},
                     [&](size_t, const SubmissionView& group) {
                       EXPECT_LE(before, AsView(group.reports));
                       before = AsView(group.reports);
                     });
      }
      return absl::OkStatus();
    });
    ASSERT_TRUE(log.ok()) << log.status();
    EXPECT_GT(log->frames, 2u);
  }
  Reopen();
  ExpectNodesWith(Range(1, 30000));
}

TEST_F(StoreStreamTest, DamageToANodesLogIsReported) {
  SendToPeriod({1, 2});
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  store_.reset();
  const auto files = HeldFiles();
  for (const auto& [name, bytes] : files) {
    for (const size_t place : {size_t{20}, bytes.size() - kFrameHeaderBytes - 5}) {
      std::string changed = bytes;
      changed[place] = static_cast<char>(changed[place] ^ 1);
      std::ofstream(options_.directory + "/held/" + name, std::ios::binary) << changed;
      EXPECT_TRUE(absl::IsDataLoss(EmbeddedStore::Open(options_).status())) << name << place;
    }
    std::ofstream(options_.directory + "/held/" + name, std::ios::binary) << bytes;
  }
  Reopen();
  ExpectNodesWith({1, 2});
}

TEST_F(StoreStreamTest, TheLimitsCountEveryGroup) {
  options_.limits.held_reports = options_.limits.held_reports_per_task = 10;
  Reopen();
  SendToPeriod({1, 2, 3});
  const absl::Status full =
      SubmitToPeriod(*store_, {.numbers = {4}, .period = 1, .nodes = {1, 2, 4}}).status();
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  ASSERT_TRUE(store_->Scatter(OfNode(1)).ok());
  EXPECT_EQ(store_->Kept().reports, 9);
  ASSERT_TRUE(TryRelease(*store_, OfNode(1)).ok());
  EXPECT_EQ(store_->Kept().reports, 6);
  EXPECT_TRUE(SubmitToPeriod(*store_, {.numbers = {4}, .period = 2, .nodes = {2, 4}}).ok());
}

}  // namespace
}  // namespace tombola::shuffler
