#include "collector/ingest/batch_ledger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "collector/test_batch.h"
#include "common/base/file.h"

namespace tombola::collector {
namespace {

TaskId TaskOf(uint8_t n) {
  TaskId id{};
  id[31] = n;
  return id;
}

BatchId BatchOf(uint8_t n) {
  BatchId id{};
  id[0] = n;
  return id;
}

BatchRecord Counted(uint8_t batch, int64_t good, std::vector<int64_t> counts) {
  BatchRecord record;
  record.batch = BatchOf(batch);
  record.task = TaskOf(1);
  record.manifest_digest.fill(batch);
  record.good = good;
  record.tally = {.submissions = good - 1, .fakes = 1};
  record.users = good - 2;
  record.rejected = {.unopened = 1, .malformed = 20, .out_of_range = 300};
  record.counts = std::move(counts);
  record.quality = {.duplicates = batch, .hashes = {.functions = {good, 0}, .buckets = {0, good}}};
  return record;
}

BatchRecord Quarantined(uint8_t batch, int64_t good) {
  BatchRecord record = Counted(batch, good, {});
  record.state = BatchState::kQuarantined;
  return record;
}

void ExpectSameReceipt(const BatchRecord& actual, const BatchRecord& expected) {
  EXPECT_EQ(actual.batch, expected.batch);
  EXPECT_EQ(actual.task, expected.task);
  EXPECT_EQ(actual.state, expected.state);
  EXPECT_EQ(actual.manifest_digest, expected.manifest_digest);
  EXPECT_EQ(actual.good, expected.good);
  EXPECT_EQ(actual.tally.submissions, expected.tally.submissions);
  EXPECT_EQ(actual.tally.fakes, expected.tally.fakes);
  EXPECT_EQ(actual.users, expected.users);
  EXPECT_EQ(actual.rejected.unopened, expected.rejected.unopened);
  EXPECT_EQ(actual.rejected.malformed, expected.rejected.malformed);
  EXPECT_EQ(actual.rejected.out_of_range, expected.rejected.out_of_range);
}

class BatchLedgerTest : public ::testing::Test {
 protected:
  BatchLedgerTest() { Restart(); }
  void Restart() {
    ledger_.reset();
    auto ledger = BatchLedger::Open(Path());
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledger_ = *std::move(ledger);
  }
  std::string Path() const { return directory_.In("batches.db"); }
  void Damage(const std::string& sql) {
    ledger_.reset();
    auto database = Database::Open(Path(), {.version = 2});
    ASSERT_TRUE(database.ok() && database->Execute(sql).ok());
  }

  TestDirectory directory_;
  std::unique_ptr<BatchLedger> ledger_;
};

TEST_F(BatchLedgerTest, AnUnknownTaskHasEmptyTotalsAndAnUnknownBatchNoRecord) {
  const auto totals = ledger_->Totals(TaskOf(1));
  EXPECT_EQ(totals->counted_batches, 0);
  EXPECT_EQ(totals->good, 0);
  EXPECT_TRUE(totals->counts.empty());
  const auto found = ledger_->Find(BatchOf(1));
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

TEST_F(BatchLedgerTest, KeepsABatchOverARestart) {
  const BatchRecord record = Counted(1, 40, {40, 0, 7});
  const auto added = ledger_->Add(record);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_TRUE(added->fresh);
  ExpectSameReceipt(added->record, record);
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto found = ledger_->Find(BatchOf(1));
    ASSERT_TRUE(found.ok() && found->has_value());
    ExpectSameReceipt(**found, record);
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counts, record.counts);
    EXPECT_EQ(totals->quality.duplicates, 1);
    EXPECT_EQ(totals->quality.hashes.functions, (std::vector<int64_t>{40, 0}));
    EXPECT_EQ(totals->quality.hashes.buckets, (std::vector<int64_t>{0, 40}));
  }
}

TEST_F(BatchLedgerTest, ABatchCountsOnceHoweverOftenItComes) {
  const BatchRecord record = Counted(1, 40, {40, 0, 7});
  ASSERT_TRUE(ledger_->Add(record).ok());
  for (const bool restarted : {false, true, false}) {
    if (restarted) Restart();
    // What a second opening found does not matter: the first receipt stands.
    BatchRecord again = record;
    again.good = 39;
    again.counts = {39, 0, 7};
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

TEST_F(BatchLedgerTest, AnotherManifestUnderABatchIdAlreadyExists) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {1, 2, 3})).ok());
  BatchRecord other = Counted(1, 40, {1, 2, 3});
  other.manifest_digest.fill(99);
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_TRUE(absl::IsAlreadyExists(ledger_->Add(other).status()));
    EXPECT_EQ(ledger_->Totals(TaskOf(1))->good, 40);
  }
  // The ledger goes on after a refusal.
  EXPECT_TRUE(ledger_->Add(Counted(2, 5, {1, 0, 0})).ok());
}

TEST_F(BatchLedgerTest, TotalsAddUpAndKnowTheSmallestBatch) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  ASSERT_TRUE(ledger_->Add(Counted(2, 10, {1, 2, 3})).ok());
  ASSERT_TRUE(ledger_->Add(Counted(3, 25, {0, 5, 5})).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 3);
    EXPECT_EQ(totals->quarantined_batches, 0);
    EXPECT_EQ(totals->good, 75);
    EXPECT_EQ(totals->smallest_batch, 8);
    EXPECT_EQ(totals->rejected.unopened, 3);
    EXPECT_EQ(totals->rejected.malformed, 60);
    EXPECT_EQ(totals->rejected.out_of_range, 900);
    EXPECT_EQ(totals->counts, (std::vector<int64_t>{41, 7, 15}));
  }
}

TEST_F(BatchLedgerTest, AQuarantinedBatchIsKeptOutOfTheTotals) {
  const BatchRecord quarantined = Quarantined(2, 3);
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  const auto added = ledger_->Add(quarantined);
  ASSERT_TRUE(added.ok()) << added.status();
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto totals = ledger_->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 1);
    EXPECT_EQ(totals->quarantined_batches, 1);
    EXPECT_EQ(totals->good, 40);
    EXPECT_EQ(totals->smallest_batch, 38);
    EXPECT_EQ(totals->rejected.total(), 321);
    EXPECT_EQ(totals->counts, (std::vector<int64_t>{40, 0, 7}));
    ExpectSameReceipt(**ledger_->Find(BatchOf(2)), quarantined);
  }
}

TEST_F(BatchLedgerTest, ATaskThatHasOnlyQuarantinedBatchesHasNoCounts) {
  ASSERT_TRUE(ledger_->Add(Quarantined(1, 3)).ok());
  Restart();
  EXPECT_TRUE(ledger_->Totals(TaskOf(1))->counts.empty());
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->counted_batches, 0);
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->quarantined_batches, 1);
}

TEST_F(BatchLedgerTest, TasksAreKeptApart) {
  BatchRecord other = Counted(2, 7, {7});
  other.task = TaskOf(2);
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  ASSERT_TRUE(ledger_->Add(other).ok());
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->good, 40);
  EXPECT_EQ(ledger_->Totals(TaskOf(2))->good, 7);
  EXPECT_EQ(ledger_->Totals(TaskOf(2))->counts, (std::vector<int64_t>{7}));
}

TEST_F(BatchLedgerTest, TotalsThatWereTakenDoNotChange) {
  ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
  const auto before = ledger_->Totals(TaskOf(1));
  ASSERT_TRUE(ledger_->Add(Counted(2, 10, {1, 2, 3})).ok());
  EXPECT_EQ(before->good, 40);
  EXPECT_EQ(before->counts, (std::vector<int64_t>{40, 0, 7}));
}

TEST_F(BatchLedgerTest, ThreadsThatDeliverTheSameBatchesCountEachOnce) {
  constexpr int kThreads = 4, kBatches = 10;
  std::vector<int> fresh(kThreads, 0);
  std::vector<std::thread> threads;
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
  EXPECT_EQ(ledger_->Totals(TaskOf(1))->counts, (std::vector<int64_t>{10, 20, 30}));
}

TEST_F(BatchLedgerTest, ABatchHasTheMinuteInWhichItWasFinished) {
  const absl::Time minute = absl::FromUnixSeconds(1794823500);
  BatchRecord record = Counted(1, 40, {40, 0, 7});
  record.finished = minute + absl::Milliseconds(59'999);
  ASSERT_TRUE(ledger_->Add(record).ok());
  ASSERT_TRUE(ledger_->Add(Counted(2, 40, {40, 0, 7})).ok());
  Restart();
  EXPECT_EQ((*ledger_->Find(BatchOf(1)))->finished, minute);
  EXPECT_EQ((*ledger_->Find(BatchOf(2)))->finished, std::nullopt);
}

TEST_F(BatchLedgerTest, TheNewestBatchesComeFirst) {
  const auto add = [&](uint8_t batch, std::optional<int64_t> minute, uint8_t task = 1) {
    BatchRecord record = batch % 2 == 0 ? Quarantined(batch, 3) : Counted(batch, 40, {40, 0, 7});
    record.task = TaskOf(task);
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
      EXPECT_TRUE(record.counts.empty());
      EXPECT_EQ(record.quality.duplicates, record.batch[0]);
    }
    return batches;
  };
  EXPECT_EQ(newest(100), (std::vector<uint8_t>{4, 3, 5, 2, 1}));
  EXPECT_EQ(newest(2), (std::vector<uint8_t>{4, 3}));
  EXPECT_EQ(newest(0), std::vector<uint8_t>{});
  EXPECT_EQ(ledger_->Newest(TaskOf(7), 100)->size(), 0u);
}

// The worked example of docs/collector-format.md.
TEST_F(BatchLedgerTest, WritesTheDocumentedChecksum) {
  BatchRecord record = Quarantined(1, 7);
  record.task = {};
  record.manifest_digest.fill(2);
  record.rejected = {.unopened = 1, .malformed = 2, .out_of_range = 3};
  record.tally = {.submissions = 10, .fakes = 0};
  record.users = 9;
  record.finished = absl::FromUnixSeconds(1794823500 + 42);
  record.quality = {.duplicates = 4, .hashes = {}};
  ASSERT_TRUE(ledger_->Add(record).ok());
  ledger_.reset();
  auto database = Database::Open(Path(), {.version = 2});
  ASSERT_TRUE(database.ok()) << database.status();
  auto row = database->Prepare("SELECT hex(checksum) FROM batches");
  ASSERT_TRUE(row.ok() && row->Step().value());
  EXPECT_EQ(absl::AsciiStrToLower(row->Blob(0)),
            "d2034bbc5c96642dd27061a79a7ace6661f762aa911ff3efc365388cd8f1174a");
}

TEST_F(BatchLedgerTest, ADamagedRowStopsTheStart) {
  for (const char* damage :
       {"UPDATE batches SET manifest = x'00'", "UPDATE batches SET task = x''",
        "UPDATE batches SET counts = x'0102'", "UPDATE batches SET counts = x''",
        "UPDATE batches SET state = 0", "UPDATE batches SET good = good + 1",
        "UPDATE batches SET finished = finished + 60", "UPDATE batches SET finished = 1",
        "UPDATE batches SET quality = x'02'", "UPDATE batches SET counts = zeroblob(24)",
        "UPDATE batches SET checksum = zeroblob(32)", "DELETE FROM batches",
        "UPDATE whole SET batches = 2", "DELETE FROM whole"}) {
    std::filesystem::remove(Path());
    Restart();
    ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
    Damage(damage);
    EXPECT_TRUE(absl::IsDataLoss(BatchLedger::Open(Path()).status())) << damage;
  }
}

// Whatever byte the medium changes, the ledger has all it had or does not open.
TEST_F(BatchLedgerTest, NoChangedByteChangesACountUnnoticed) {
  for (uint8_t batch = 1; batch <= 3; ++batch) {
    ASSERT_TRUE(ledger_->Add(Counted(batch, 40, {40, 0, batch})).ok());
  }
  ledger_.reset();
  const std::string whole = *ReadSmallFile(Path());
  for (size_t at = 0; at < whole.size(); ++at) {
    // A sample of what is written, and a smaller one of the free space, which is all zeros.
    if (at % (whole[at] == 0 ? 127 : 5) != 0) continue;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    ASSERT_TRUE(ReplaceFile(Path(), changed).ok());
    const auto ledger = BatchLedger::Open(Path());
    if (!ledger.ok()) continue;
    const auto totals = (*ledger)->Totals(TaskOf(1));
    EXPECT_EQ(totals->counted_batches, 3) << at;
    EXPECT_EQ(totals->counts, (std::vector<int64_t>{120, 0, 6})) << at;
    EXPECT_EQ(totals->good, 120) << at;
  }
}

}  // namespace
}  // namespace tombola::collector
