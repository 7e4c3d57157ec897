// Several senders, and releases while they send.
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

TEST_F(StoreTest, EveryAcknowledgedSubmissionIsInExactlyOneBatch) {
  constexpr int kSenders = 3;
  constexpr uint64_t kCalls = 200, kPerCall = 20;
  Reopen();
  std::atomic<int> sending{kSenders};
  std::atomic<int64_t> accepted{0}, duplicates{0};
  std::vector<std::thread> senders;
  senders.reserve(kSenders);
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      // Neighbouring calls overlap by half, and all senders send some of the same numbers.
      for (uint64_t call = 0; call < kCalls; ++call) {
        const uint64_t first = call * kPerCall / 2 + static_cast<uint64_t>(sender) * 500;
        const auto outcomes =
            shuffler::Submit(*store_, {.numbers = Range(first, first + kPerCall - 1)});
        ASSERT_TRUE(outcomes.ok()) << outcomes.status();
        for (const Outcome outcome : *outcomes) {
          ASSERT_NE(outcome, Outcome::kRejected);
          ++(outcome == Outcome::kAccepted ? accepted : duplicates);
        }
      }
      --sending;
    });
  }
  std::vector<Manifest> batches;
  const auto release = [&] {
    const auto totals = TryRelease();
    if (totals.ok()) {
      batches.push_back(*totals);
    } else {
      ASSERT_TRUE(absl::IsFailedPrecondition(totals.status())) << totals.status();
    }
  };
  while (sending > 0) release();
  for (std::thread& sender : senders) sender.join();
  release();
  EXPECT_GT(batches.size(), 1u);
  EXPECT_THAT(store_->Held(), ::testing::IsEmpty());

  // Senders cover 0 .. 2009, 500 .. 2509 and 1000 .. 3009.
  EXPECT_EQ(accepted, 3010);
  EXPECT_EQ(accepted + duplicates, static_cast<int64_t>(kSenders * kCalls * kPerCall));
  const std::multiset<uint64_t> found = InOutbox();
  EXPECT_EQ(found.size(), 3010u);
  EXPECT_EQ(std::set<uint64_t>(found.begin(), found.end()).size(), 3010u);
  const TaskCounters counters = store_->Counters(task_);
  EXPECT_EQ(counters.accepted, accepted);
  EXPECT_EQ(counters.duplicates, duplicates);
  EXPECT_EQ(counters.released_batches, static_cast<int64_t>(batches.size()));
}

// The counters' sum is right whenever it is looked at, whatever moves meanwhile.
TEST_F(StoreTest, CountersNeverDipWhileBatchesMove) {
  Reopen();
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    int64_t last = 0;
    while (!done) {
      const TaskCounters counters = store_->Counters(task_);
      ASSERT_GE(counters.accepted, last);
      ASSERT_LE(counters.forwarded + counters.expired, counters.accepted);
      last = counters.accepted;
    }
  });
  for (uint64_t round = 0; round < 60; ++round) {
    Submit({.numbers = Range(10 * round, 10 * round + 9)});
    if (round % 3 == 0) {
      EXPECT_TRUE(store_->Destroy(of_).ok());
    } else {
      EXPECT_TRUE(Erase(Release().batch).ok());
    }
  }
  done = true;
  watcher.join();
  EXPECT_EQ(store_->Counters(task_).accepted, 600);
  EXPECT_EQ(store_->Counters(task_).expired, 200);
  EXPECT_EQ(store_->Counters(task_).forwarded, 400);
}

}  // namespace
}  // namespace tombola::shuffler
