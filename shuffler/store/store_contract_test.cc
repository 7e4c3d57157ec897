// What every store does, whichever engine it is: distinct submissions, each in one batch, each
// batch whole, and everything acknowledged found again after a restart and after a kill.
#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/encoding.h"
#include "common/crypto/report_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/store/contract_harness.h"

namespace tombola::shuffler {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContractTest);

namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

crypto::Sha256Digest SumOf(const BatchKey& of, const std::vector<uint64_t>& numbers) {
  crypto::DigestSum sum;
  for (const uint64_t number : numbers) {
    sum.Add(crypto::ReportDigest(of.task, of.key, AsBytes(ReportOf(number))));
  }
  return sum.Value();
}

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
  for (const BatchTotals& batch : store_->Outbox()) {
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
  const BatchTotals totals = Release();
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
  const BatchTotals totals = Release();
  EXPECT_EQ(totals.submissions, 12);
  EXPECT_EQ(totals.reports_out, 12);
  EXPECT_EQ(totals.duplicates, 6);
  EXPECT_EQ(totals.digest_sum, SumOf(of_, Range(1, 12)));
  EXPECT_THAT(InOutbox(), UnorderedElementsAreArray(Range(1, 12)));
}

TEST_P(StoreContractTest, WhatHasLeftDoesNotLeaveAgain) {
  Send({.numbers = {1, 2}});
  const BatchTotals first = Release();
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

// --- detach, write, publish ---

TEST_P(StoreContractTest, ABatchIsReadAsItWasWrittenWithItsManifest) {
  Send({.numbers = Range(1, 10)});
  const BatchTotals totals = Release();
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    ASSERT_THAT(store_->Outbox(), SizeIs(1));
    const BatchTotals found = store_->Outbox().front();
    EXPECT_EQ(found.of, of_);
    EXPECT_EQ(found.batch, totals.batch);
    EXPECT_EQ(found.submissions, 10);
    EXPECT_EQ(found.digest_sum, SumOf(of_, Range(1, 10)));
    EXPECT_EQ(*store_->ReadManifest(totals.batch), "manifest");
    EXPECT_THAT(InOutbox(), UnorderedElementsAreArray(Range(1, 10)));
    EXPECT_THAT(store_->Held(), IsEmpty());
    EXPECT_EQ(store_->Kept().reports, 0);
    EXPECT_EQ(store_->Kept().outbox_bytes, 10 * kSealedBytes);
  }
}

TEST_P(StoreContractTest, ReadsIntoMemoryAsWell) {
  Send({.numbers = Range(1, 10)});
  Send({.numbers = {4, 5}});
  const auto from = store_->Detach(of_);
  ASSERT_TRUE(from.ok()) << from.status();
  EXPECT_EQ((*from)->of(), of_);
  EXPECT_EQ((*from)->sealed_bytes(), kSealedBytes);
  ASSERT_GE((*from)->most_reports(), 10);
  std::vector<uint8_t> memory(static_cast<size_t>((*from)->most_reports() * kSealedBytes));
  const auto read = (*from)->Read({.memory = absl::MakeSpan(memory), .take = {}});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->reports, 10);
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < 10; ++i) {
    const auto report = absl::MakeConstSpan(memory).subspan(i * kSealedBytes, kSealedBytes);
    numbers.push_back(NumberOf(AsView(report)));
  }
  EXPECT_THAT(numbers, UnorderedElementsAreArray(Range(1, 10)));
}

TEST_P(StoreContractTest, ReadsWholeRecordsWithinTheLimit) {
  Send({.numbers = Range(1, 10)});
  auto reader = store_->Read(Release().batch);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->record_bytes(), kSealedBytes);
  EXPECT_TRUE(absl::IsInvalidArgument((*reader)->Next(kSealedBytes - 1).status()));
  EXPECT_EQ((*reader)->Next(kSealedBytes)->size(), kSealedBytes);
  EXPECT_EQ((*reader)->Next(5 * kSealedBytes - 1)->size(), 4 * kSealedBytes);
  EXPECT_EQ((*reader)->Next(1000 * kSealedBytes)->size(), 5 * kSealedBytes);
  EXPECT_TRUE((*reader)->Next(1000 * kSealedBytes)->empty());
}

TEST_P(StoreContractTest, AReaderGoesOnWhileItsBatchIsErased) {
  Send({.numbers = {1, 2}});
  const BatchTotals totals = Release();
  auto reader = store_->Read(totals.batch);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->Next(kSealedBytes)->size(), kSealedBytes);
  ASSERT_TRUE(Erase(totals.batch).ok());
  EXPECT_EQ((*reader)->Next(kSealedBytes)->size(), kSealedBytes);
}

TEST_P(StoreContractTest, WhatIsDetachedIsNotDetachedTwice) {
  Send({.numbers = {1, 2}});
  const auto from = store_->Detach(of_);
  ASSERT_TRUE(from.ok());
  EXPECT_THAT(store_->Held(), IsEmpty());
  Send({.numbers = {3}});  // held anew
  EXPECT_TRUE(Holds(of_));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Detach(of_).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Destroy(of_).status()));
}

TEST_P(StoreContractTest, WhatIsNotPublishedIsHeldAgain) {
  Send({.numbers = {1, 2}});
  {
    const auto from = store_->Detach(of_);
    ASSERT_TRUE(from.ok());
    const auto writer = store_->NewBatch(BatchId{99});
    ASSERT_TRUE(writer.ok());
    const auto append = [&](absl::Span<const uint8_t> reports) {
      return (*writer)->Append(reports);
    };
    ASSERT_TRUE((*from)->Read({.memory = {}, .take = append}).ok());
    Send({.numbers = {2, 3}});
  }
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(Release().submissions, 3);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2, 3));
}

TEST_P(StoreContractTest, AFailureOfWhoTakesTheReportsIsPassedOn) {
  Send({.numbers = {1, 2}});
  {
    const auto from = store_->Detach(of_);
    ASSERT_TRUE(from.ok());
    const auto full = [](absl::Span<const uint8_t>) {
      return absl::ResourceExhaustedError("full");
    };
    EXPECT_EQ((*from)->Read({.memory = {}, .take = full}).status().message(), "full");
  }
  EXPECT_EQ(Release().submissions, 2);
}

// Both or neither, wherever the process is killed.
TEST_P(StoreContractTest, AKillDuringAReleaseLeavesItHeldOrPublished) {
  enum Step { kDetached, kNew, kRead, kPublished, kSteps };
  for (int kill = kDetached; kill < kSteps; ++kill) {
    SCOPED_TRACE(kill);
    const uint64_t first = static_cast<uint64_t>(10 * kill) + 1;
    const std::vector<uint64_t> numbers = Range(first, first + 4);
    Send({.numbers = numbers});
    {
      auto from = store_->Detach(of_);
      ASSERT_TRUE(from.ok()) << from.status();
      if (kill == kDetached) world_->Crash();
      const BatchId batch = {++batches_};
      auto writer = store_->NewBatch(batch);
      ASSERT_TRUE(writer.ok()) << writer.status();
      if (kill == kNew) world_->Crash();
      const auto read =
          (*from)->Read({.memory = {}, .take = [&](absl::Span<const uint8_t> reports) {
                           return (*writer)->Append(reports);
                         }});
      ASSERT_TRUE(read.ok()) << read.status();
      if (kill == kRead) world_->Crash();
      if (kill == kPublished) {
        const BatchTotals totals = {.of = of_,
                                    .batch = batch,
                                    .submissions = read->submissions,
                                    .reports_in = read->reports,
                                    .duplicates = read->duplicates,
                                    .fakes = 0,
                                    .reports_out = read->reports,
                                    .digest_sum = read->digest_sum.Value()};
        ASSERT_TRUE(store_->Publish(*std::move(from), *std::move(writer), totals, "manifest").ok());
        world_->Crash();
      }
    }
    Reopen();
    Send({.numbers = numbers});  // retries, whose answer was lost
    EXPECT_EQ(Holds(of_) && store_->Outbox().empty(), kill != kPublished);
    const BatchTotals totals = kill == kPublished ? store_->Outbox().front() : Release();
    EXPECT_EQ(totals.submissions, 5);
    EXPECT_THAT(InOutbox(), UnorderedElementsAreArray(numbers));
    ASSERT_TRUE(Erase(totals.batch).ok());
  }
}

TEST_P(StoreContractTest, NothingToReleaseEraseOrDestroyIsSaid) {
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Detach(of_).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Destroy(of_).status()));
  EXPECT_TRUE(absl::IsNotFound(Erase(BatchId{})));
  EXPECT_TRUE(absl::IsNotFound(store_->Read(BatchId{}).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->ReadManifest(BatchId{}).status()));
}

// --- the end ---

TEST_P(StoreContractTest, ErasedMeansForwardedOrExpiredAndGone) {
  Send({.numbers = Range(1, 5)});
  ASSERT_TRUE(Erase(Release().batch).ok());
  Send({.numbers = Range(6, 8)});
  ASSERT_TRUE(store_->Erase(Release().batch, BatchEnd::kExpired).ok());
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    EXPECT_THAT(store_->Outbox(), IsEmpty());
    const TaskCounters counters = store_->Counters(task_);
    EXPECT_EQ(counters.accepted, 8);
    EXPECT_EQ(counters.forwarded, 5);
    EXPECT_EQ(counters.expired, 3);
    EXPECT_EQ(counters.released_batches, 2);
    EXPECT_EQ(store_->Kept().outbox_bytes, 0);
  }
}

TEST_P(StoreContractTest, WhatIsDestroyedCountsAsExpiredAndARetryDoesNotBringItBack) {
  Send({.numbers = Range(1, 4)});
  Crash();
  Send({.numbers = {4, 5}});
  Send({.numbers = {6}, .part = 1});
  const auto destroyed = store_->Destroy(of_);
  ASSERT_TRUE(destroyed.ok()) << destroyed.status();
  EXPECT_EQ(*destroyed, 5);
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_FALSE(Holds(of_));
    EXPECT_TRUE(Holds({task_, key_, 1}));
    EXPECT_EQ(store_->Counters(task_).expired, 5);
    Crash();
  }
  Send({.numbers = Range(1, 7)});
  EXPECT_EQ(Release().submissions, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(7));
}

TEST_P(StoreContractTest, CountersAddUpOverBatchesAndKills) {
  Send({.numbers = Range(1, 10)});
  Send({.numbers = {1, 2, 3}});
  const BatchTotals first = Release();
  Crash();
  Send({.numbers = Range(11, 14)});
  ASSERT_TRUE(Erase(first.batch).ok());
  Crash();
  ASSERT_TRUE(store_->Destroy(of_).ok());
  Send({.numbers = {20}});
  ASSERT_TRUE(Erase(Release().batch).ok());
  Crash();
  const TaskCounters counters = store_->Counters(task_);
  EXPECT_EQ(counters.accepted, 15);
  EXPECT_EQ(counters.duplicates, 3);
  EXPECT_EQ(counters.forwarded, 11);
  EXPECT_EQ(counters.expired, 4);
  EXPECT_EQ(counters.released_batches, 2);
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
