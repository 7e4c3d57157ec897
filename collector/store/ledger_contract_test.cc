// What every batch ledger does, whichever engine it is: each batch once, with its counts or not at
// all, found again after a kill.
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "collector/store/batch_ledger.h"
#include "collector/store/test_ledger.h"

namespace tombola::collector {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LedgerContractTest);

namespace {

void ExpectSameReceipt(const BatchRecord& actual, const BatchRecord& expected) {
  EXPECT_EQ(actual.batch, expected.batch);
  EXPECT_EQ(actual.of, expected.of);
  EXPECT_EQ(actual.state, expected.state);
  EXPECT_EQ(actual.manifest_digest, expected.manifest_digest);
  EXPECT_EQ(actual.good, expected.good);
  EXPECT_EQ(actual.tally.submissions, expected.tally.submissions);
  EXPECT_EQ(actual.tally.fakes, expected.tally.fakes);
  EXPECT_EQ(actual.users, expected.users);
  EXPECT_EQ(actual.duplicates, expected.duplicates);
  EXPECT_EQ(actual.rejected.unopened, expected.rejected.unopened);
  EXPECT_EQ(actual.rejected.malformed, expected.rejected.malformed);
  EXPECT_EQ(actual.rejected.out_of_range, expected.rejected.out_of_range);
}

TEST_P(LedgerContractTest, AnUnknownTaskHasEmptyTotalsAndAnUnknownBatchNoRecord) {
  const auto totals = ledger_->Totals(TaskOf(1));
  EXPECT_EQ(totals->counted_batches, 0);
  EXPECT_EQ(totals->good, 0);
  EXPECT_TRUE(totals->counts.tables.empty());
  const auto found = ledger_->Find(BatchOf(1));
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

TEST_P(LedgerContractTest, KeepsABatchOverARestart) {
  const BatchRecord record = Counted(1, 40, {40, 0, 7});
  const auto added = ledger_->Add(record);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_TRUE(added->fresh);
  ExpectSameReceipt(added->record, record);
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    const auto found = ledger_->Find(BatchOf(1));
    ASSERT_TRUE(found.ok() && found->has_value());
    ExpectSameReceipt(**found, record);
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counts, record.counts);
    EXPECT_EQ(totals->duplicates, 1);
  }
}

TEST_P(LedgerContractTest, ABatchCountsOnceHoweverOftenItComes) {
  const BatchRecord record = Counted(1, 40, {40, 0, 7});
  ASSERT_TRUE(ledger_->Add(record).ok());
  for (const bool restarted : {false, true, false}) {
    if (restarted) Crash();
    // What a second opening found does not matter: the first receipt stands.
    BatchRecord again = record;
    again.good = 39;
    again.counts = OneTable(39, {39, 0, 7});
    const auto added = ledger_->Add(again);
    ASSERT_TRUE(added.ok()) << added.status();
    EXPECT_FALSE(added->fresh);
    ExpectSameReceipt(added->record, record);
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 1);
    EXPECT_EQ(totals->good, 40);
    EXPECT_EQ(totals->counts, record.counts);
  }
}

TEST_P(LedgerContractTest, AnotherManifestUnderABatchIdAlreadyExists) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {1, 2, 3})).ok());
  BatchRecord other = Counted(1, 40, {1, 2, 3});
  other.manifest_digest.fill(99);
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    EXPECT_TRUE(absl::IsAlreadyExists(ledger_->Add(other).status()));
    EXPECT_EQ(ledger_->Totals(TaskOf(1))->good, 40);
  }
  // The ledger goes on after a refusal.
  EXPECT_TRUE(ledger_->Add(Counted(2, 5, {1, 0, 0})).ok());
}

TEST_P(LedgerContractTest, TotalsAddUpAndKnowTheSmallestBatch) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  ASSERT_TRUE(ledger_->Add(Counted(2, 10, {1, 2, 3})).ok());
  ASSERT_TRUE(ledger_->Add(Counted(3, 25, {0, 5, 5})).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 3);
    EXPECT_EQ(totals->quarantined_batches, 0);
    EXPECT_EQ(totals->good, 75);
    EXPECT_EQ(totals->smallest_batch, 8);
    EXPECT_EQ(totals->rejected.unopened, 3);
    EXPECT_EQ(totals->rejected.malformed, 60);
    EXPECT_EQ(totals->rejected.out_of_range, 900);
    EXPECT_EQ(CountsOf(TaskOf(1)), (std::vector<int64_t>{41, 7, 15}));
  }
}

TEST_P(LedgerContractTest, AQuarantinedBatchIsKeptOutOfTheTotals) {
  const BatchRecord quarantined = Quarantined(2, 3);
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  const auto added = ledger_->Add(quarantined);
  ASSERT_TRUE(added.ok()) << added.status();
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 1);
    EXPECT_EQ(totals->quarantined_batches, 1);
    EXPECT_EQ(totals->good, 40);
    EXPECT_EQ(totals->smallest_batch, 38);
    EXPECT_EQ(totals->rejected.total(), 321);
    EXPECT_EQ(CountsOf(TaskOf(1)), (std::vector<int64_t>{40, 0, 7}));
    EXPECT_EQ(totals->smallest_quarantined, 1) << "it was opened";
    EXPECT_EQ(totals->quarantined_parts.Count(), 1u);
    EXPECT_EQ(totals->opened_parts.Count(), 1u);
    ExpectSameReceipt(**ledger_->Find(BatchOf(2)), quarantined);
  }
}

TEST_P(LedgerContractTest, KnowsTheSmallestBatchThatWasOpenedInVainAndItsParts) {
  const auto of_part = [](BatchRecord record, uint64_t part) {
    record.of.part = part;
    return record;
  };
  ASSERT_TRUE(ledger_->Add(of_part(Counted(1, 40, {40, 0, 7}), 1)).ok());
  ASSERT_TRUE(ledger_->Add(of_part(Quarantined(2, 30), 2)).ok());
  ASSERT_TRUE(ledger_->Add(of_part(Quarantined(3, 20), 3)).ok());
  ASSERT_TRUE(ledger_->Add(of_part(Quarantined(4, 25), 1)).ok());
  // Of a fake and bad reports nothing of a device was opened, and of one that came too late.
  ASSERT_TRUE(ledger_->Add(of_part(Quarantined(5, 1), 5)).ok());
  BatchRecord expired = of_part(Quarantined(6, 10), 6);
  expired.state = BatchState::kExpired;
  ASSERT_TRUE(ledger_->Add(expired).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->smallest_batch, 38);
    EXPECT_EQ(totals->smallest_quarantined, 18);
    EXPECT_EQ(totals->parts.Count(), 1u);
    EXPECT_EQ(totals->quarantined_parts.Count(), 3u);
    EXPECT_EQ(totals->opened_parts.Count(), 3u);
    const auto first = ledger_->Sum(TaskOf(1), {.first = 1, .last = 2});
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->smallest_quarantined, 23);
    EXPECT_EQ(first->quarantined_parts.Count(), 2u);
  }
}

TEST_P(LedgerContractTest, ATaskThatHasOnlyQuarantinedBatchesHasNoCounts) {
  ASSERT_TRUE(ledger_->Add(Quarantined(1, 3)).ok());
  Restart();
  EXPECT_TRUE(CountsOf(TaskOf(1)).empty());
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->counted_batches, 0);
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->quarantined_batches, 1);
}

TEST_P(LedgerContractTest, TasksAreKeptApart) {
  BatchRecord other = Counted(2, 7, {7});
  other.of.task = TaskOf(2);
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  ASSERT_TRUE(ledger_->Add(other).ok());
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->good, 40);
  EXPECT_EQ(ledger_->Totals(TaskOf(2))->good, 7);
  EXPECT_EQ(CountsOf(TaskOf(2)), (std::vector<int64_t>{7}));
}

TEST_P(LedgerContractTest, TotalsThatWereTakenDoNotChange) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  const auto before = ledger_->Totals(TaskOf(1));
  ASSERT_TRUE(ledger_->Add(Counted(2, 10, {1, 2, 3})).ok());
  EXPECT_EQ(before->good, 40);
  EXPECT_EQ(before->counts, OneTable(40, {40, 0, 7}));
}

TEST_P(LedgerContractTest, ThreadsThatDeliverTheSameBatchesCountEachOnce) {
  constexpr int kThreads = 4, kBatches = 10;
  std::vector<int> fresh(kThreads, 0);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kBatches; ++i) {
        // Each begins elsewhere, so that they meet.
        const auto batch = static_cast<uint8_t>((i + 3 * t) % kBatches);
        const auto added = ledger_->Add(Counted(batch, 10, {1, 2, 3}));
        if (added.ok() && added->fresh) ++fresh[static_cast<size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fresh[0] + fresh[1] + fresh[2] + fresh[3], kBatches);
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->counted_batches, kBatches);
  EXPECT_EQ(CountsOf(TaskOf(1)), (std::vector<int64_t>{10, 20, 30}));
}

TEST_P(LedgerContractTest, ABatchHasTheMinuteInWhichItWasFinished) {
  const absl::Time minute = absl::FromUnixSeconds(1794823500);
  BatchRecord record = Counted(1, 40, {40, 0, 7});
  record.finished = minute + absl::Milliseconds(59'999);
  ASSERT_TRUE(ledger_->Add(record).ok());
  ASSERT_TRUE(ledger_->Add(Counted(2, 40, {40, 0, 7})).ok());
  Restart();
  EXPECT_EQ((*ledger_->Find(BatchOf(1)))->finished, minute);
  EXPECT_EQ((*ledger_->Find(BatchOf(2)))->finished, std::nullopt);
}

TEST_P(LedgerContractTest, TheNewestBatchesComeFirst) {
  const auto add = [&](uint8_t batch, std::optional<int64_t> minute, uint8_t task = 1) {
    BatchRecord record = batch % 2 == 0 ? Quarantined(batch, 3) : Counted(batch, 40, {40, 0, 7});
    record.of.task = TaskOf(task);
    if (minute.has_value()) record.finished = absl::UnixEpoch() + absl::Minutes(*minute);
    ASSERT_TRUE(ledger_->Add(record).ok());
  };
  add(5, 20);
  add(1, std::nullopt);
  add(3, 30);
  add(4, 30);
  add(2, 10);
  add(9, 40, /*task=*/2);
  const auto newest = [&](int64_t limit) {
    std::vector<uint8_t> batches;
    const auto records = ledger_->Newest(TaskOf(1), limit);
    for (const BatchRecord& record : *records) {
      batches.push_back(record.batch[0]);
      EXPECT_TRUE(record.counts.tables.empty());
      EXPECT_EQ(record.duplicates, record.batch[0]);
    }
    return batches;
  };
  EXPECT_EQ(newest(100), (std::vector<uint8_t>{4, 3, 5, 2, 1}));
  EXPECT_EQ(newest(2), (std::vector<uint8_t>{4, 3}));
  EXPECT_EQ(newest(0), std::vector<uint8_t>{});
  EXPECT_EQ(ledger_->Newest(TaskOf(7), 100)->size(), 0u);
}

TEST_P(LedgerContractTest, SumsTheBatchesOfAnyRangeOfParts) {
  const uint64_t last = ~uint64_t{0};
  uint8_t batch = 0;
  for (const uint64_t part : {uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{256}, last}) {
    for (const uint8_t key : {7, 8}) {
      ++batch;
      BatchRecord record = Counted(batch, 10 * batch, {batch, 1});
      record.of.key = {key};
      record.of.part = part;
      ASSERT_TRUE(ledger_->Add(record).ok());
    }
  }
  BatchRecord other = Counted(99, 40, {40, 0, 7});
  other.of = {.task = TaskOf(2), .key = {7}, .part = 1};
  ASSERT_TRUE(ledger_->Add(other).ok());
  BatchRecord quarantined = Quarantined(98, 3);
  quarantined.of.part = 1;
  ASSERT_TRUE(ledger_->Add(quarantined).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Crash();
    const auto counts = [&](uint64_t first, uint64_t last_part) {
      const auto sum = ledger_->Sum(TaskOf(1), {.first = first, .last = last_part});
      EXPECT_TRUE(sum.ok()) << sum.status();
      return sum->counts.tables.empty() ? std::vector<int64_t>() : sum->counts.tables[0].counts;
    };
    EXPECT_EQ(counts(0, 0), (std::vector<int64_t>{1 + 2, 2}));
    EXPECT_EQ(counts(1, 255), (std::vector<int64_t>{3 + 4 + 5 + 6, 4}));
    EXPECT_EQ(counts(256, last), (std::vector<int64_t>{7 + 8 + 9 + 10, 4}));
    EXPECT_EQ(counts(0, last), (std::vector<int64_t>{55, 10}));
    EXPECT_TRUE(counts(2, 254).empty());
    EXPECT_TRUE(counts(3, 2).empty());
    const auto one = ledger_->Sum(TaskOf(1), {.first = 1, .last = 1});
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(one->counted_batches, 2);
    EXPECT_EQ(one->quarantined_batches, 1);
    EXPECT_EQ(one->good, 70);
    EXPECT_EQ(one->smallest_batch, 28);
    EXPECT_EQ(one->duplicates, 3 + 4);
    const auto all = ledger_->Sum(TaskOf(1), {});
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->counts, ledger_->Totals(TaskOf(1))->counts);
    EXPECT_EQ(all->good, ledger_->Totals(TaskOf(1))->good);
  }
}

TEST_P(LedgerContractTest, KeepsWhateverWasCounted) {
  BatchRecord record = Counted(1, 40, {});
  record.counts.tables = {{.reports = 7, .counts = {3, -1}, .hashes = {}},
                          {.reports = 2, .counts = {int64_t{1} << 40}, .hashes = {}}};
  ASSERT_TRUE(ledger_->Add(record).ok());
  Crash();
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->counts, record.counts);
}

}  // namespace
}  // namespace tombola::collector
