// What every store does with what comes, whichever engine it is: distinct submissions, each in one
// batch, and everything acknowledged found again after a restart and after a kill.
// store_release_contract_test.cc has what it does with batches.
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/encoding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/store/contract_harness.h"

namespace tombola::shuffler {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContractTest);

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

// One call with given ids and reports.
absl::StatusOr<std::vector<Outcome>> SubmitRaw(Store& store, const std::string& ids,
                                               const std::vector<uint32_t>& counts,
                                               const std::string& reports) {
  std::promise<absl::StatusOr<std::vector<Outcome>>> answer;
  store.Accept({{TaskNumber(1), KeyNumber(1)}, 7, AsBytes(ids), counts, AsBytes(reports)},
               [&](auto outcomes) { answer.set_value(std::move(outcomes)); });
  return answer.get_future().get();
}

// --- accept and hold ---

TEST_P(StoreContractTest, HoldsWhatItAccepted) {
  Send({.numbers = {1, 2, 3}});
  ASSERT_THAT(store_->Held(), SizeIs(1));
  const HeldInfo held = store_->Held().front();
  EXPECT_EQ(held.of, of_);
  EXPECT_EQ(held.submissions, 3);
  EXPECT_EQ(held.reports, 3);
  EXPECT_EQ(store_->Kept().reports, 3);
  EXPECT_EQ(store_->Kept().bytes, 3 * kSealedBytes);
}

TEST_P(StoreContractTest, TasksKeysAndPartsAreHeldApart) {
  ASSERT_TRUE(store_->AddTask(TaskNumber(2), kSealedBytes, kMostReports).ok());
  Send({.numbers = {1, 2}});
  Send({.numbers = {3}, .key = KeyNumber(2)});
  Send({.numbers = {4}, .part = 1});
  Send({.numbers = {5, 6, 7}, .part = ~uint64_t{0}});
  Send({.numbers = {1, 8}, .task = TaskNumber(2)});
  Crash();
  EXPECT_THAT(store_->Held(), SizeIs(5));
  EXPECT_EQ(Release({task_, KeyNumber(2)}).submissions, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(3));
  EXPECT_EQ(Release({task_, key_, ~uint64_t{0}}).of.part, ~uint64_t{0});
  EXPECT_THAT(InOutbox(), ElementsAre(3, 5, 6, 7));
  EXPECT_EQ(Release({TaskNumber(2), key_}).submissions, 2);
  EXPECT_TRUE(Holds(of_));
  EXPECT_TRUE(Holds({task_, key_, 1}));
  EXPECT_THAT(store_->Held(), SizeIs(2));
  Reopen();
  for (const Manifest& batch : store_->Outbox()) {
    EXPECT_EQ(batch.of.part, batch.submissions == 3 ? ~uint64_t{0} : 0);
  }
}

TEST_P(StoreContractTest, ACallOfNothingIsAnsweredWithNothing) {
  Send({});
  EXPECT_THAT(store_->Held(), IsEmpty());
}

TEST_P(StoreContractTest, RejectsSubmissionsWithoutReportsOrWithTooMany) {
  const std::string five = ReportOf(1) + ReportOf(2) + ReportOf(3) + ReportOf(4) + ReportOf(5);
  const auto outcomes =
      SubmitRaw(*store_, IdOf(1) + IdOf(2) + IdOf(3), {5, 0, 1}, five + ReportOf(6));
  ASSERT_TRUE(outcomes.ok()) << outcomes.status();
  EXPECT_THAT(*outcomes, ElementsAre(Outcome::kRejected, Outcome::kRejected, Outcome::kAccepted));
  EXPECT_EQ(Release().reports_out, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(6));
}

TEST_P(StoreContractTest, ManyReportsASubmissionAreCountedApart) {
  ASSERT_TRUE(SubmitRaw(*store_, IdOf(1) + IdOf(2), {3, 1},
                        ReportOf(1) + ReportOf(2) + ReportOf(3) + ReportOf(4))
                  .ok());
  Crash();
  const Manifest totals = Release();
  EXPECT_EQ(totals.submissions, 2);
  EXPECT_EQ(totals.reports_in, 4);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2, 3, 4));
}

TEST_P(StoreContractTest, RefusesCallsWhoseLengthsDisagreeAndUnknownTasks) {
  const std::string ids = IdOf(1), report = ReportOf(1);
  EXPECT_TRUE(absl::IsInvalidArgument(SubmitRaw(*store_, ids.substr(1), {}, report).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SubmitRaw(*store_, ids, {1, 1}, report).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SubmitRaw(*store_, ids, {4294967295u}, report).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(SubmitRaw(*store_, ids, {}, report.substr(1)).status()));
  EXPECT_TRUE(absl::IsNotFound(Submit(*store_, {.numbers = {1}, .task = TaskNumber(9)}).status()));
  EXPECT_THAT(store_->Held(), IsEmpty());
}

TEST_P(StoreContractTest, ATaskHasOneShape) {
  EXPECT_TRUE(store_->AddTask(task_, kSealedBytes, kMostReports).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->AddTask(task_, kSealedBytes + 1, kMostReports)));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->AddTask(task_, kSealedBytes, kMostReports + 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 0, 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 58, 0)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 58, 65536)));
}

TEST_P(StoreContractTest, WhatIsHeldCanBeReleasedBeforeItsTaskIsAddedAgain) {
  Send({.numbers = {1, 2}});
  store_.reset();
  store_ = *world_->Open();
  EXPECT_TRUE(absl::IsNotFound(Submit(*store_, {.numbers = {3}}).status()));
  EXPECT_EQ(Release().submissions, 2);
}

// --- distinct submissions, whenever repetitions are recognised ---

TEST_P(StoreContractTest, AReleaseHasEachSubmissionOnceHoweverOftenItWasSent) {
  Send({.numbers = Range(1, 10)});
  Send({.numbers = {3, 3, 11, 4}});
  Crash();
  Send({.numbers = {1, 10, 11, 12}});
  const Manifest totals = Release();
  EXPECT_EQ(totals.submissions, 12);
  EXPECT_EQ(totals.reports_out, 12);
  EXPECT_EQ(totals.duplicates, 6);
  EXPECT_EQ(totals.digest_sum, SumOf(of_, Range(1, 12)));
  EXPECT_THAT(InOutbox(), UnorderedElementsAreArray(Range(1, 12)));
}

TEST_P(StoreContractTest, WhatHasLeftDoesNotLeaveAgain) {
  Send({.numbers = {1, 2}});
  const Manifest first = Release();
  Send({.numbers = {2, 3}});
  Reopen();
  ASSERT_TRUE(Erase(first.batch).ok());
  Send({.numbers = {1, 4}});
  Crash();
  EXPECT_EQ(Release().submissions, 2);
  EXPECT_THAT(InOutbox(), ElementsAre(3, 4));
  EXPECT_EQ(store_->Counters(task_).accepted, 4);
}

TEST_P(StoreContractTest, OneIdWithTwoReportsCountsOnce) {
  Send({.numbers = {1}});
  ASSERT_TRUE(SubmitRaw(*store_, IdOf(1), {}, ReportOf(2)).ok());
  EXPECT_EQ(Release().submissions, 1);
  EXPECT_THAT(InOutbox(), SizeIs(1));
}

TEST_P(StoreContractTest, EveryAcknowledgedSubmissionIsInExactlyOneBatch) {
  constexpr uint64_t kSenders = 3, kCalls = 60, kPerCall = 20;
  std::vector<std::thread> senders;
  for (uint64_t sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      // Neighbouring calls overlap by half, and all senders send some of the same numbers.
      for (uint64_t call = 0; call < kCalls; ++call) {
        const uint64_t first = call * kPerCall / 2 + sender * 150;
        Send({.numbers = Range(first, first + kPerCall - 1)});
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    const auto totals = TryRelease(of_);
    EXPECT_TRUE(totals.ok() || absl::IsFailedPrecondition(totals.status())) << totals.status();
  }
  for (std::thread& sender : senders) sender.join();
  if (Holds(of_)) Release();
  // Senders cover 0 .. 609, 150 .. 759 and 300 .. 909.
  EXPECT_THAT(InOutbox(), UnorderedElementsAreArray(Range(0, 909)));
  EXPECT_EQ(store_->Counters(task_).accepted, 910);
}

// --- windows ---

TEST_P(StoreContractTest, AForgottenWindowIsRefusedForGood) {
  Send({.numbers = {1}, .window = 7});
  Send({.numbers = {2}, .window = 8});
  ASSERT_TRUE(Erase(Release().batch).ok());
  ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 8).ok());
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    EXPECT_TRUE(
        absl::IsFailedPrecondition(Submit(*store_, {.numbers = {1}, .window = 7}).status()));
    // An earlier boundary, by a clock that has gone back, changes nothing.
    ASSERT_TRUE(store_->ForgetWindowsBefore(task_, 3).ok());
  }
  Send({.numbers = {2, 3}, .window = 8});
  EXPECT_EQ(Release().submissions, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(3));
}

}  // namespace
}  // namespace tombola::shuffler
