// What every store does with batches, whichever engine it is: each is read as it was written,
// whole, held or published wherever a kill comes, and counted once when it ends.
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/base/encoding.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/store/contract_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

// --- detach, write, publish ---

TEST_P(StoreContractTest, ABatchIsReadAsItWasWrittenWithItsManifest) {
  Send({.numbers = Range(1, 10)});
  const Manifest totals = Release();
  for (const bool killed : {false, true}) {
    if (killed) Crash();
    ASSERT_THAT(store_->Outbox(), SizeIs(1));
    const Manifest found = store_->Outbox().front();
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
  const Manifest totals = Release();
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
        const Manifest totals = {.of = of_,
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
    const Manifest totals = kill == kPublished ? store_->Outbox().front() : Release();
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
  const Manifest first = Release();
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

}  // namespace
}  // namespace tombola::shuffler
