#include "common/base/fair_share.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/base/retry_after.h"

namespace tombola {
namespace {

TaskId Named(uint8_t name) {
  TaskId task{};
  task[0] = name;
  return task;
}

constexpr FairShareLimits kLimits = {.calls = 12, .bytes = 1200, .retry = absl::Milliseconds(250)};

class FairShareTest : public ::testing::Test {
 protected:
  // Enters until it is refused; how many calls got in.
  int64_t Fill(uint8_t task, int64_t bytes) {
    int64_t in = 0;
    while (true) {
      auto ticket = share_.Enter(Named(task), bytes);
      if (!ticket.ok()) return in;
      tickets_[task].push_back(*std::move(ticket));
      ++in;
    }
  }

  FairShare share_{kLimits};
  std::vector<FairShare::Ticket> tickets_[8];
};

TEST_F(FairShareTest, ATicketGivesBackWhatItNeedsNoMore) {
  auto ticket = *share_.Enter(Named(1), 1000);
  ticket.ShrinkTo(2000);
  EXPECT_EQ(share_.bytes(), 1000);
  ticket.ShrinkTo(100);
  EXPECT_EQ(share_.bytes(), 100);
  EXPECT_EQ(share_.calls(), 1);
  { const auto gone = std::move(ticket); }
  EXPECT_EQ(share_.bytes(), 0);
  EXPECT_EQ(share_.calls(), 0);
}

TEST_F(FairShareTest, AloneATaskGetsHalfAndIsToldHowLongToWait) {
  EXPECT_EQ(Fill(1, 1), 6);
  const absl::Status status = share_.Enter(Named(1), 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryAfter(status), absl::Milliseconds(250));
  EXPECT_EQ(RefusalCause(status), "share");
}

TEST_F(FairShareTest, BytesAreSharedLikeCalls) {
  EXPECT_EQ(Fill(1, 200), 3);
  EXPECT_EQ(share_.bytes(), 600);
  EXPECT_EQ(Fill(2, 200), 2);  // 200, then 400 of the 400 that were free
}

TEST_F(FairShareTest, ATaskThatComesLaterFindsRoomHoweverGreedyTheOthersAre) {
  Fill(1, 1);
  for (uint8_t task = 2; task <= 4; ++task) {
    EXPECT_GE(Fill(task, 1), 1) << static_cast<int>(task);
  }
}

// The greedy task takes up again whatever it gives back; the other gets its equal part all the
// same, because what the first gives back is not all open to it.
TEST_F(FairShareTest, TwoGreedyTasksEndWithEqualParts) {
  Fill(1, 1);
  Fill(2, 1);
  for (int round = 0; round < 20; ++round) {
    for (const uint8_t task : {1, 2}) {
      tickets_[task].pop_back();
      Fill(2, 1);
      Fill(1, 1);
    }
  }
  EXPECT_EQ(tickets_[1].size(), 4u);
  EXPECT_EQ(tickets_[2].size(), 4u);
  EXPECT_EQ(share_.calls(), 8);
}

TEST_F(FairShareTest, TheFirstCallOfATaskMayTakeAllThatIsFree) {
  EXPECT_EQ(Fill(1, 1200), 1);
  const absl::Status status = share_.Enter(Named(2), 1).status();
  EXPECT_EQ(RefusalCause(status), "bytes");
  tickets_[1].clear();
  EXPECT_EQ(Fill(2, 1000), 1);
}

TEST_F(FairShareTest, WhatNeverFitsIsNotAskedToWait) {
  const absl::Status status = share_.Enter(Named(1), 1201).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(RetryAfter(status), std::nullopt);
  EXPECT_EQ(RefusalCause(status), "size");
}

TEST_F(FairShareTest, TheLimitOfCallsHoldsForAllTasksTogether) {
  for (int task = 0; task < 12; ++task) {
    auto ticket = share_.Enter(Named(static_cast<uint8_t>(100 + task)), 1);
    ASSERT_TRUE(ticket.ok());
    tickets_[0].push_back(*std::move(ticket));
  }
  EXPECT_EQ(RefusalCause(share_.Enter(Named(1), 1).status()), "calls");
}

TEST_F(FairShareTest, EverythingComesBackAndTheLimitsHoldUnderConcurrency) {
  std::atomic<int> in_flight{0}, most{0};
  std::vector<std::thread> threads;
  for (uint8_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        std::vector<FairShare::Ticket> held;
        for (int k = 0; k < 5; ++k) {
          auto ticket = share_.Enter(Named(t), 90);
          if (!ticket.ok()) continue;
          held.push_back(*std::move(ticket));
          const int now = ++in_flight;
          int before = most;
          while (now > before && !most.compare_exchange_weak(before, now)) {
          }
        }
        in_flight -= static_cast<int>(held.size());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 12);
  EXPECT_GT(most, 1);
  EXPECT_EQ(share_.calls(), 0);
  EXPECT_EQ(share_.bytes(), 0);
}

TEST(RetryAfterTest, IsClampedAndAbsentByDefault) {
  EXPECT_EQ(RetryAfter(absl::ResourceExhaustedError("x")), std::nullopt);
  EXPECT_EQ(RetryAfter(Refusal("a", "b", absl::Hours(9))), kLongestRetryAfter);
  EXPECT_EQ(RetryAfter(Refusal("a", "b", -absl::Hours(9))), absl::ZeroDuration());
  EXPECT_EQ(RefusalCause(absl::ResourceExhaustedError("x")), "");
}

}  // namespace
}  // namespace tombola
