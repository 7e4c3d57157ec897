// What the store does while nothing goes wrong, restarts included.
#include "shuffler/store/store.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/crypto/report_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/store/digest.h"
#include "shuffler/store/encoding.h"
#include "shuffler/store/store_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

constexpr Outcome kAccepted = Outcome::kAccepted;
constexpr Outcome kDuplicate = Outcome::kDuplicate;

TEST_F(StoreTest, HoldsWhatItAccepted) {
  Reopen();
  EXPECT_THAT(Submit({.numbers = {1, 2, 3}}), ElementsAre(kAccepted, kAccepted, kAccepted));
  ASSERT_THAT(store_->Held(), SizeIs(1));
  const HeldInfo held = store_->Held().front();
  EXPECT_EQ(held.task, task_);
  EXPECT_EQ(held.key, key_);
  EXPECT_EQ(held.submissions, 3);
  EXPECT_EQ(held.reports, 3);
  EXPECT_EQ(held.duplicates, 0);
}

TEST_F(StoreTest, KeysAreHeldApart) {
  Reopen();
  Submit({.numbers = {1, 2}});
  Submit({.numbers = {3}, .key = KeyNumber(2)});
  EXPECT_THAT(store_->Held(), SizeIs(2));
  EXPECT_EQ(Release(KeyNumber(2)).submissions, 1);
  EXPECT_THAT(InOutbox(), ElementsAre(3));
  EXPECT_EQ(HeldSubmissions(), 2);
}

TEST_F(StoreTest, EveryStepSurvivesARestart) {
  Reopen();
  Submit({.numbers = Range(1, 5)});
  Reopen();
  EXPECT_EQ(HeldSubmissions(), 5);
  Submit({.numbers = Range(6, 9)});
  Reopen();
  EXPECT_EQ(HeldSubmissions(), 9);
  const BatchTotals released = Release();
  EXPECT_EQ(released.submissions, 9);
  const std::string bytes = BytesIn(*store_, released.batch);
  Reopen();
  EXPECT_THAT(store_->Held(), IsEmpty());
  ASSERT_THAT(store_->Outbox(), SizeIs(1));
  EXPECT_EQ(store_->Outbox().front().digest_sum, released.digest_sum);
  EXPECT_EQ(BytesIn(*store_, released.batch), bytes);
  EXPECT_EQ(*store_->ReadManifest(released.batch), "manifest");
  EXPECT_TRUE(store_->Erase(released.batch).ok());
  Reopen();
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(store_->Counters(task_).forwarded, 9);
}

TEST_F(StoreTest, ABatchHasTheReportsTheirSumAndItsManifest) {
  Reopen();
  Submit({.numbers = Range(1, 100)});
  Submit({.numbers = {5, 6}});
  BatchTotals seen;
  const auto totals = store_->Release(
      task_, key_,
      [&](const BatchTotals& of) -> absl::StatusOr<std::string> {
        seen = of;
        return "signed";
      },
      random_);
  ASSERT_TRUE(totals.ok()) << totals.status();
  crypto::DigestSum sum;
  for (uint64_t number = 1; number <= 100; ++number) {
    sum.Add(crypto::ReportDigest(task_, key_, AsBytes(ReportOf(number))));
  }
  EXPECT_EQ(totals->digest_sum, sum.Value());
  EXPECT_EQ(totals->submissions, 100);
  EXPECT_EQ(totals->duplicates, 2);
  EXPECT_EQ(totals->fakes, 0);
  EXPECT_EQ(seen.batch, totals->batch);
  EXPECT_EQ(seen.digest_sum, totals->digest_sum);
  EXPECT_EQ(*store_->ReadManifest(totals->batch), "signed");
  const auto numbers = NumbersIn(*store_, totals->batch);
  ASSERT_TRUE(numbers.ok());
  EXPECT_THAT(*numbers, UnorderedElementsAreArray(Range(1, 100)));
  // A fixed seed; the chance of the order of arrival is 1 / 100!.
  EXPECT_FALSE(std::is_sorted(numbers->begin(), numbers->end()));
}

TEST_F(StoreTest, AScatteredReleaseHasTheSameReports) {
  options_.memory_limit_bytes = 20 * kSealedBytes;
  Reopen();
  Submit({.numbers = Range(1, 300)});
  Submit({.numbers = Range(301, 500)});
  const BatchTotals totals = Release();
  EXPECT_EQ(totals.reports_out, 500);
  const auto numbers = NumbersIn(*store_, totals.batch);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_THAT(*numbers, UnorderedElementsAreArray(Range(1, 500)));
  EXPECT_FALSE(std::is_sorted(numbers->begin(), numbers->end()));
  for (const auto& [path, bytes] : FilesIn(options_.directory)) {
    EXPECT_THAT(path, testing::Not(testing::HasSubstr("block-")));
  }
}

// In memory and scattered over files: all of both are there, and no more after a restart.
TEST_F(StoreTest, FakesAreAmongTheReports) {
  for (const int64_t limit : {1000 * kSealedBytes, 20 * kSealedBytes}) {
    options_.directory = scratch_.path() + absl::StrCat("/store-", limit);
    options_.memory_limit_bytes = limit;
    Reopen();
    Submit({.numbers = Range(1, 100)});
    uint64_t next = 1001;
    const FakeReports fakes{.count = 50, .draw = [&](absl::Span<uint8_t> report) {
                              const std::string bytes = ReportOf(next++);
                              std::copy(bytes.begin(), bytes.end(), report.begin());
                              return absl::OkStatus();
                            }};
    const auto totals = store_->Release(task_, key_, PlainManifest, random_, fakes);
    ASSERT_TRUE(totals.ok()) << totals.status();
    EXPECT_EQ(totals->submissions, 100);
    EXPECT_EQ(totals->reports_in, 100);
    EXPECT_EQ(totals->fakes, 50);
    EXPECT_EQ(totals->reports_out, 150);
    std::vector<uint64_t> all = Range(1, 100);
    const std::vector<uint64_t> drawn = Range(1001, 1050);
    all.insert(all.end(), drawn.begin(), drawn.end());
    for (const bool restarted : {false, true}) {
      if (restarted) Reopen();
      const auto numbers = NumbersIn(*store_, totals->batch);
      ASSERT_TRUE(numbers.ok()) << numbers.status();
      EXPECT_THAT(*numbers, UnorderedElementsAreArray(all));
      // Neither before nor behind the others.
      EXPECT_FALSE(std::is_partitioned(numbers->begin(), numbers->end(),
                                       [](uint64_t number) { return number > 1000; }));
      EXPECT_FALSE(std::is_partitioned(numbers->begin(), numbers->end(),
                                       [](uint64_t number) { return number <= 1000; }));
    }
  }
}

TEST_F(StoreTest, AFakeThatFailsLeavesEverythingHeld) {
  Reopen();
  Submit({.numbers = {1, 2}});
  const FakeReports fakes{
      .count = 1, .draw = [](absl::Span<uint8_t>) { return absl::InternalError("cannot seal"); }};
  EXPECT_TRUE(
      absl::IsInternal(store_->Release(task_, key_, PlainManifest, random_, fakes).status()));
  EXPECT_EQ(HeldSubmissions(), 2);
  EXPECT_EQ(Release().reports_out, 2);
}

TEST_F(StoreTest, ReadsWholeRecordsWithinTheLimit) {
  Reopen();
  Submit({.numbers = Range(1, 10)});
  const BatchTotals totals = Release();
  auto reader = store_->Read(totals.batch);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(absl::IsInvalidArgument((*reader)->Next(kSealedBytes - 1).status()));
  EXPECT_EQ((*reader)->Next(kSealedBytes)->size(), kSealedBytes);
  EXPECT_EQ((*reader)->Next(5 * kSealedBytes - 1)->size(), 4 * kSealedBytes);
  EXPECT_EQ((*reader)->Next(1000 * kSealedBytes)->size(), 5 * kSealedBytes);
  EXPECT_TRUE((*reader)->Next(1000 * kSealedBytes)->empty());
}

TEST_F(StoreTest, NothingToReleaseOrDestroyIsSaid) {
  Reopen();
  EXPECT_TRUE(
      absl::IsFailedPrecondition(store_->Release(task_, key_, PlainManifest, random_).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->Destroy(task_, key_).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->Erase(BatchId{})));
  EXPECT_TRUE(absl::IsNotFound(store_->Read(BatchId{}).status()));
  EXPECT_TRUE(absl::IsNotFound(store_->ReadManifest(BatchId{}).status()));
}

TEST_F(StoreTest, ARefusedManifestLeavesEverythingHeld) {
  Reopen();
  Submit({.numbers = {1, 2}});
  const auto refuse = [&](const BatchTotals&) -> absl::StatusOr<std::string> {
    Submit({.numbers = {3}});  // goes into a fresh log meanwhile
    return absl::InternalError("no key to sign with");
  };
  EXPECT_TRUE(absl::IsInternal(store_->Release(task_, key_, refuse, random_).status()));
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(HeldSubmissions(), 3);
  EXPECT_EQ(Release().submissions, 3);
  EXPECT_THAT(InOutbox(), ElementsAre(1, 2, 3));
}

TEST_F(StoreTest, ASecondReleaseOfTheSameIsRefusedWhileOneRuns) {
  Reopen();
  Submit({.numbers = {1, 2}});
  const auto again = [&](const BatchTotals&) -> absl::StatusOr<std::string> {
    Submit({.numbers = {3}});
    EXPECT_TRUE(
        absl::IsFailedPrecondition(store_->Release(task_, key_, PlainManifest, random_).status()));
    EXPECT_TRUE(absl::IsFailedPrecondition(store_->Destroy(task_, key_).status()));
    return "first";
  };
  ASSERT_TRUE(store_->Release(task_, key_, again, random_).ok());
  EXPECT_EQ(Release().submissions, 1);
}

TEST_F(StoreTest, DestroyCountsAsExpiredAndIsNotUndoneByARetry) {
  Reopen();
  Submit({.numbers = Range(1, 4)});
  Reopen();
  Submit({.numbers = {5}});
  const auto destroyed = store_->Destroy(task_, key_);
  ASSERT_TRUE(destroyed.ok()) << destroyed.status();
  EXPECT_EQ(*destroyed, 5);
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_THAT(store_->Held(), IsEmpty());
    EXPECT_EQ(store_->Counters(task_).expired, 5);
    EXPECT_EQ(store_->Counters(task_).accepted, 5);
    EXPECT_EQ(Accepted({.numbers = Range(1, 5)}), 0);
    Reopen();
  }
}

TEST_F(StoreTest, ABatchThatNobodyCanOpenAnyMoreCountsAsExpiredAndStaysADuplicate) {
  Reopen();
  Submit({.numbers = Range(1, 5)});
  const BatchTotals batch = Release();
  ASSERT_TRUE(store_->Erase(batch.batch, BatchEnd::kExpired).ok());
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_TRUE(store_->Outbox().empty());
    const TaskCounters counters = store_->Counters(task_);
    EXPECT_EQ(counters.accepted, 5);
    EXPECT_EQ(counters.forwarded, 0);
    EXPECT_EQ(counters.expired, 5);
    EXPECT_EQ(counters.released_batches, 1);
    EXPECT_EQ(Accepted({.numbers = Range(1, 5)}), 0);
    Reopen();
  }
}

TEST_F(StoreTest, CountersAddUpAtEveryStepAndAfterRestarts) {
  Reopen();
  const auto expect = [&](int64_t accepted, int64_t duplicates, int64_t forwarded, int64_t expired,
                          int64_t released) {
    for (int restart = 0; restart < 2; ++restart) {
      const TaskCounters counters = store_->Counters(task_);
      EXPECT_EQ(counters.accepted, accepted);
      EXPECT_EQ(counters.duplicates, duplicates);
      EXPECT_EQ(counters.forwarded, forwarded);
      EXPECT_EQ(counters.expired, expired);
      EXPECT_EQ(counters.released_batches, released);
      Reopen();
    }
  };
  Submit({.numbers = Range(1, 10)});
  Submit({.numbers = {1, 2, 3}});
  expect(10, 3, 0, 0, 0);
  const BatchTotals first = Release();
  expect(10, 3, 0, 0, 1);
  Submit({.numbers = Range(10, 14)});
  Submit({.numbers = {11}});
  expect(14, 5, 0, 0, 1);
  EXPECT_TRUE(store_->Erase(first.batch).ok());
  expect(14, 5, 10, 0, 1);
  EXPECT_TRUE(store_->Destroy(task_, key_).ok());
  expect(14, 5, 10, 4, 1);
  Submit({.numbers = {1, 14}});  // nothing is held: these belong to no batch
  expect(14, 7, 10, 4, 1);
  Submit({.numbers = {20}});
  const BatchTotals second = Release();
  EXPECT_TRUE(store_->Erase(second.batch).ok());
  expect(15, 7, 11, 4, 2);
}

TEST_F(StoreTest, ATaskHasOneShape) {
  Reopen();
  EXPECT_TRUE(store_->AddTask(task_, kSealedBytes, kMostReports).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->AddTask(task_, kSealedBytes + 1, kMostReports)));
  EXPECT_TRUE(absl::IsFailedPrecondition(store_->AddTask(task_, kSealedBytes, kMostReports + 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 0, 1)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 58, 0)));
  EXPECT_TRUE(absl::IsInvalidArgument(store_->AddTask(TaskNumber(2), 58, 65536)));
  Submit({.numbers = {1}});
  store_.reset();
  auto reopened = Store::Open(options_);
  ASSERT_TRUE(reopened.ok());
  EXPECT_TRUE(
      absl::IsFailedPrecondition((*reopened)->AddTask(task_, kSealedBytes + 1, kMostReports)));
}

TEST_F(StoreTest, WhatIsHeldCanBeReleasedBeforeItsTaskIsAddedAgain) {
  Reopen();
  Submit({.numbers = {1, 2}});
  store_.reset();
  auto reopened = Store::Open(options_);
  ASSERT_TRUE(reopened.ok());
  EXPECT_TRUE(absl::IsNotFound(shuffler::Submit(**reopened, {.numbers = {3}}).status()));
  EXPECT_TRUE((*reopened)->Release(task_, key_, PlainManifest, random_).ok());
}

TEST_F(StoreTest, OneProcessAtATime) {
  Reopen();
  EXPECT_TRUE(absl::IsFailedPrecondition(Store::Open(options_).status()));
}

TEST_F(StoreTest, RefusesOptionsOutOfTheirBounds) {
  options_.memory_limit_bytes = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(Store::Open(options_).status()));
  options_.memory_limit_bytes = 1;
  options_.queue_limit_bytes = (int64_t{1} << 30) + 1;
  EXPECT_TRUE(absl::IsInvalidArgument(Store::Open(options_).status()));
}

// Once a batch is forwarded nothing of it is left but sorted digests.
TEST_F(StoreTest, NoFileKeepsAReportOrTheOrderOfArrival) {
  options_.memory_limit_bytes = 20 * kSealedBytes;
  Reopen();
  Submit({.numbers = Range(1, 50)});
  Submit({.numbers = Range(51, 100), .window = 8});
  ASSERT_TRUE(store_->Erase(Release().batch).ok());
  Submit({.numbers = Range(101, 110)});
  ASSERT_TRUE(store_->Destroy(task_, key_).ok());
  const std::map<std::string, std::string> files = FilesIn(options_.directory);
  for (const auto& [path, bytes] : files) {
    for (uint64_t number = 1; number <= 110; ++number) {
      EXPECT_EQ(bytes.find(ReportOf(number).substr(8)), std::string::npos) << path;
      EXPECT_EQ(bytes.find(IdOf(number)), std::string::npos) << path;
    }
  }
  const std::string seen = files.at("seen/" + ToHex(task_) + "/7.digests").substr(68);
  ASSERT_EQ(seen.size(), 2 * 60 * kDigestBytes);
  std::vector<std::string> digests;
  for (size_t i = 0; i < seen.size(); i += kDigestBytes) {
    digests.push_back(seen.substr(i, kDigestBytes));
  }
  EXPECT_TRUE(std::is_sorted(digests.begin(), digests.end()));
}

}  // namespace
}  // namespace tombola::shuffler
