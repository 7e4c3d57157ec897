#include "collector/ingest/batch_ledger_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "collector/database/row_digest.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/test_batch.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

constexpr char kVersion1[] = R"(
  CREATE TABLE batches(
    id BLOB PRIMARY KEY, task BLOB NOT NULL, state INTEGER NOT NULL, manifest BLOB NOT NULL,
    good INTEGER NOT NULL, unopened INTEGER NOT NULL, malformed INTEGER NOT NULL,
    out_of_range INTEGER NOT NULL, submissions INTEGER NOT NULL, fakes INTEGER NOT NULL,
    users INTEGER NOT NULL, counts BLOB NOT NULL, quality BLOB NOT NULL,
    checksum BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE whole(only INTEGER PRIMARY KEY CHECK (only = 0), batches INTEGER NOT NULL,
    checksums BLOB NOT NULL);
  INSERT INTO whole VALUES (0, 0, zeroblob(32));
)";

TaskId TaskOne() {
  TaskId id{};
  id[31] = 1;
  return id;
}

// A file of version 1 with `batches` counted batches of three values.
class FormatTest : public ::testing::Test {
 protected:
  std::string Path() const { return directory_.In("batches.db"); }

  void WriteVersion1(uint8_t batches) {
    auto database = Database::Open(Path(), {.version = 1, .schema = kVersion1});
    ASSERT_TRUE(database.ok()) << database.status();
    crypto::DigestSum sum;
    for (uint8_t n = 1; n <= batches; ++n) {
      BatchId batch{};
      batch[0] = n;
      const std::string manifest(32, static_cast<char>(n));
      const int64_t counts[] = {10 * n, 0, n};
      const absl::string_view blob(reinterpret_cast<const char*>(counts), sizeof(counts));
      const std::string quality = ToBytes({.duplicates = n, .hashes = {}});
      auto insert = database->Prepare(
          "INSERT INTO batches VALUES (?, ?, 1, ?, 11, 1, 2, 3, 11, 0, ?, ?, ?, ?)");
      ASSERT_TRUE(insert.ok()) << insert.status();
      const TaskId task = TaskOne();
      const auto checksum =
          RowDigest({AsView(batch), AsView(task), int64_t{1}, manifest, int64_t{11}, int64_t{1},
                     int64_t{2}, int64_t{3}, int64_t{11}, int64_t{0}, int64_t{n}, blob, quality});
      insert->BindBlob(0, AsView(batch));
      insert->BindBlob(1, AsView(task));
      insert->BindBlob(2, manifest);
      insert->Bind(3, n);
      insert->BindBlob(4, blob);
      insert->BindBlob(5, quality);
      insert->BindBlob(6, AsView(checksum));
      ASSERT_TRUE(Database::Run(*insert).ok());
      sum.Add(checksum);
    }
    auto whole = database->Prepare("UPDATE whole SET batches = ?, checksums = ?");
    ASSERT_TRUE(whole.ok());
    whole->Bind(0, batches);
    whole->BindBlob(1, AsView(sum.Value()));
    ASSERT_TRUE(Database::Run(*whole).ok());
  }
  void Damage(const std::string& sql) {
    auto database = Database::Open(Path(), {.version = 1});
    ASSERT_TRUE(database.ok() && database->Execute(sql).ok()) << sql;
  }

  TestDirectory directory_;
};

TEST_F(FormatTest, AFileOfVersion1IsConvertedAndGoneOnWith) {
  WriteVersion1(3);
  for (int start = 1; start <= 2; ++start) {
    const auto ledger = BatchLedger::Open(Path());
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    const auto totals = (*ledger)->Totals(TaskOne());
    EXPECT_EQ(totals->counted_batches, 3);
    EXPECT_EQ(totals->counts, (std::vector<int64_t>{60, 0, 6}));
    EXPECT_EQ(totals->smallest_batch, 1);
    EXPECT_EQ(totals->rejected.out_of_range, 9);
    EXPECT_EQ(totals->quality.duplicates, 6);
    const auto batches = (*ledger)->Newest(TaskOne(), 10);
    ASSERT_TRUE(batches.ok());
    ASSERT_EQ(batches->size(), 3u);
    for (const BatchRecord& batch : *batches) EXPECT_EQ(batch.finished, std::nullopt);
  }
  BatchRecord further;
  further.batch.fill(9);
  further.task = TaskOne();
  further.finished = absl::FromUnixSeconds(1794823500);
  further.counts = {1, 1, 1};
  {
    const auto ledger = BatchLedger::Open(Path());
    ASSERT_TRUE(ledger.ok() && (*ledger)->Add(further).ok());
  }
  const auto ledger = BatchLedger::Open(Path());
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  EXPECT_EQ((*ledger)->Totals(TaskOne())->counts, (std::vector<int64_t>{61, 1, 7}));
  EXPECT_EQ((*ledger)->Newest(TaskOne(), 1)->front().batch, further.batch);
}

TEST_F(FormatTest, AnEmptyFileOfVersion1IsConverted) {
  WriteVersion1(0);
  const auto ledger = BatchLedger::Open(Path());
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  EXPECT_EQ((*ledger)->Totals(TaskOne())->counted_batches, 0);
}

TEST_F(FormatTest, ADamagedFileOfVersion1StaysAsItIs) {
  WriteVersion1(2);
  for (const auto& [damage, remedy] :
       {std::pair("UPDATE batches SET good = good + 1", "UPDATE batches SET good = good - 1"),
        std::pair("UPDATE whole SET batches = 3", "UPDATE whole SET batches = 2")}) {
    Damage(damage);
    const absl::Status status = BatchLedger::Open(Path()).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(Path()));
    Damage(remedy);
  }
  // Neither attempt left anything behind.
  const auto ledger = BatchLedger::Open(Path());
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  EXPECT_EQ((*ledger)->Totals(TaskOne())->counted_batches, 2);
}

TEST_F(FormatTest, AFileOfALaterVersionIsRefused) {
  { ASSERT_TRUE(BatchLedger::Open(Path()).ok()); }
  auto database = Database::Open(Path(), {.version = kBatchLedgerVersion});
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE(database->Execute("PRAGMA user_version = 3").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(BatchLedger::Open(Path()).status()));
}

}  // namespace
}  // namespace tombola::collector
