// What the store does when it is full: it asks to wait, and never loses or doubles anything.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "common/base/retry_after.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

class StoreLimitsTest : public StoreTest {
 protected:
  void Open(const StoreLimits& limits) {
    options_.limits = limits;
    Reopen();
    AddTaskTwo();
  }
  void AddTaskTwo() {
    ASSERT_TRUE(store_->AddTask(TaskNumber(2), kSealedBytes, kMostReports).ok());
  }
  // The cause of the refusal, "" if it was taken.
  std::string Cause(const Call& call) {
    const absl::Status status = shuffler::Submit(*store_, call).status();
    if (status.ok()) return "";
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_TRUE(RetryAfter(status).has_value());
    return RefusalCause(status);
  }
};

TEST_F(StoreLimitsTest, ATaskHoldsNoMoreThanItsLimitToTheVeryReport) {
  Open({.held_reports = 100, .held_reports_per_task = 10});
  EXPECT_EQ(Accepted({.numbers = Range(1, 9)}), 9);
  EXPECT_EQ(Cause({.numbers = Range(10, 11)}), "held_task");
  EXPECT_EQ(Accepted({.numbers = {10}}), 1);
  EXPECT_EQ(Cause({.numbers = {11}}), "held_task");
  EXPECT_EQ(HeldSubmissions(), 10);
  // Another task is not concerned.
  EXPECT_EQ(Accepted({.numbers = Range(101, 110), .task = TaskNumber(2)}), 10);
}

TEST_F(StoreLimitsTest, DuplicatesAreAcknowledgedHoweverFullItIs) {
  Open({.held_reports = 10, .held_reports_per_task = 10});
  EXPECT_EQ(Accepted({.numbers = Range(1, 10)}), 10);
  EXPECT_EQ(Submit({.numbers = {3, 7}}),
            (std::vector<Outcome>{Outcome::kDuplicate, Outcome::kDuplicate}));
  // One that is new among them: nothing of the call is acknowledged, and nothing remembered.
  EXPECT_EQ(Cause({.numbers = {3, 11}}), "held_task");
  EXPECT_EQ(Cause({.numbers = {11}}), "held_task");
  Release();
  EXPECT_EQ(Accepted({.numbers = {3, 11}}), 1);
}

TEST_F(StoreLimitsTest, AllTasksTogetherHoldNoMoreThanTheLimit) {
  Open({.held_reports = 15, .held_reports_per_task = 10});
  EXPECT_EQ(Accepted({.numbers = Range(1, 10)}), 10);
  EXPECT_EQ(Cause({.numbers = Range(101, 106), .task = TaskNumber(2)}), "held");
  EXPECT_EQ(Accepted({.numbers = Range(101, 105), .task = TaskNumber(2)}), 5);
}

TEST_F(StoreLimitsTest, BytesCountLikeReports) {
  Open({.held_reports = 100, .held_reports_per_task = 50, .held_bytes = 20 * kSealedBytes});
  EXPECT_EQ(Cause({.numbers = Range(1, 11)}), "held_task");  // half of the bytes
  EXPECT_EQ(Accepted({.numbers = Range(1, 10)}), 10);
  EXPECT_EQ(Accepted({.numbers = Range(101, 110), .task = TaskNumber(2)}), 10);
  EXPECT_EQ(Cause({.numbers = {111}, .task = TaskNumber(2)}), "held_task");
}

TEST_F(StoreLimitsTest, TheLimitsAreTheSameAfterARestart) {
  Open({.held_reports = 10, .held_reports_per_task = 10, .outbox_bytes = 10 * kSealedBytes});
  EXPECT_EQ(Accepted({.numbers = Range(1, 8)}), 8);
  Reopen();
  EXPECT_EQ(Cause({.numbers = Range(9, 11)}), "held_task");
  EXPECT_EQ(Accepted({.numbers = Range(9, 10)}), 2);
  Release();
  Reopen();
  EXPECT_EQ(Cause({.numbers = {11}}), "outbox");
  EXPECT_EQ(store_->Kept().outbox_bytes, 10 * kSealedBytes);
}

TEST_F(StoreLimitsTest, ACollectorThatIsAwayStopsTheIntakeUntilItTakesABatch) {
  Open({.held_reports = 100, .held_reports_per_task = 100, .outbox_bytes = 5 * kSealedBytes});
  EXPECT_EQ(Accepted({.numbers = Range(1, 4)}), 4);
  Release();
  EXPECT_EQ(Accepted({.numbers = Range(5, 8)}), 4);  // still below
  const Manifest second = Release();
  EXPECT_EQ(Cause({.numbers = {9}}), "outbox");
  EXPECT_EQ(Submit({.numbers = {1}}), std::vector<Outcome>{Outcome::kDuplicate});
  const absl::Status status = shuffler::Submit(*store_, {.numbers = {9}}).status();
  EXPECT_GE(*RetryAfter(status), absl::Seconds(30));  // longer than for a full queue
  ASSERT_TRUE(Erase(second.batch).ok());
  EXPECT_EQ(Accepted({.numbers = {9}}), 1);
  EXPECT_EQ(store_->Kept().outbox_bytes, 4 * kSealedBytes);
}

TEST_F(StoreLimitsTest, DestroyingMakesRoom) {
  Open({.held_reports = 5, .held_reports_per_task = 5});
  EXPECT_EQ(Accepted({.numbers = Range(1, 5)}), 5);
  ASSERT_TRUE(store_->Destroy(of_).ok());
  EXPECT_EQ(store_->Kept().reports, 0);
  EXPECT_EQ(store_->Kept().bytes, 0);
  EXPECT_EQ(Accepted({.numbers = Range(6, 10)}), 5);
}

// Two digests a submission here: of its id and of its report. They outlive the release.
TEST_F(StoreLimitsTest, RememberedDigestsAreBoundedUntilTheirWindowIsForgotten) {
  Open({.held_reports = 100, .held_reports_per_task = 100, .digests = 20});
  EXPECT_EQ(Accepted({.numbers = Range(1, 10)}), 10);
  const Manifest batch = Release();
  ASSERT_TRUE(Erase(batch.batch).ok());
  EXPECT_EQ(Cause({.numbers = {11}, .window = 8}), "digests_task");
  Reopen();
  EXPECT_EQ(Cause({.numbers = {11}, .window = 8}), "digests_task");
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 8).ok());
  EXPECT_EQ(Accepted({.numbers = {11}, .window = 8}), 1);
}

TEST_F(StoreLimitsTest, TheDigestsOfARefusedCallAreNotRemembered) {
  Open({.held_reports = 100, .held_reports_per_task = 100, .digests = 20});
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Cause({.numbers = Range(1, 11)}), "digests_task");
  EXPECT_EQ(Accepted({.numbers = Range(1, 10)}), 10);
}

TEST_F(StoreLimitsTest, TheLimitIsExactUnderConcurrency) {
  constexpr int64_t kLimit = 1000;
  Open({.held_reports = kLimit, .held_reports_per_task = kLimit});
  std::atomic<int64_t> accepted{0}, refused{0};
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 200; ++i) {
        const uint64_t first = 1 + (t * 200 + i) * 3;
        const auto outcomes = shuffler::Submit(*store_, {.numbers = Range(first, first + 2)});
        (outcomes.ok() ? accepted : refused) += 3;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accepted, 999);  // in threes
  EXPECT_EQ(refused, 2400 - 999);
  EXPECT_EQ(HeldSubmissions(), 999);
  EXPECT_EQ(store_->Kept().reports, 999);
  EXPECT_EQ(Accepted({.numbers = {5000}}), 1);
  EXPECT_EQ(Cause({.numbers = {5001}}), "held_task");
}

TEST_F(StoreLimitsTest, LimitsOutOfTheirBoundsAreRefused) {
  options_.limits = {.held_reports = 10, .held_reports_per_task = 11};
  EXPECT_TRUE(absl::IsInvalidArgument(EmbeddedStore::Open(options_).status()));
  options_.limits = {.digests = 0};
  EXPECT_TRUE(absl::IsInvalidArgument(EmbeddedStore::Open(options_).status()));
}

}  // namespace
}  // namespace tombola::shuffler
