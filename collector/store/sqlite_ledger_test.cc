#include "collector/store/sqlite_ledger.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "collector/store/test_ledger.h"
#include "collector/test_batch.h"
#include "tests/support/scratch_directory.h"

namespace tombola::collector {
namespace {

class SqliteWorld final : public LedgerWorld {
 public:
  absl::StatusOr<std::unique_ptr<BatchLedger>> Open() override {
    std::filesystem::create_directories(Folder());
    return SqliteLedger::Open(absl::StrCat(Folder(), "/batches.db"));
  }
  void Crash() override {
    const std::string before = Folder();
    ++crashes_;
    std::filesystem::copy(before, Folder(), std::filesystem::copy_options::recursive);
  }

 private:
  std::string Folder() const { return directory_.In(absl::StrCat("after-", crashes_)); }

  ScratchDirectory directory_{ScratchDirectory::Place::kMemory};
  int crashes_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, LedgerContractTest,
                         ::testing::Values(LedgerEngine{
                             "sqlite", [] { return std::make_unique<SqliteWorld>(); }}));

class SqliteLedgerTest : public ::testing::Test {
 protected:
  SqliteLedgerTest() { Restart(); }
  void Restart() {
    ledger_.reset();
    auto ledger = SqliteLedger::Open(Path());
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledger_ = *std::move(ledger);
  }
  std::string Path() const { return directory_.In("batches.db"); }
  void Damage(const std::string& sql) {
    ledger_.reset();
    ExecuteBehindItsBack(Path(), sql);
  }

  ScratchDirectory directory_;
  std::unique_ptr<SqliteLedger> ledger_;
};

// The worked example of docs/collector-format.md.
TEST_F(SqliteLedgerTest, WritesTheDocumentedChecksum) {
  BatchRecord record = Quarantined(1, 7);
  record.of = {.task = {}, .key = {3}, .part = 258};
  record.manifest_digest.fill(2);
  record.rejected = {.unopened = 1, .malformed = 2, .out_of_range = 3};
  record.tally = {.submissions = 10, .fakes = 0};
  record.users = 9;
  record.finished = absl::FromUnixSeconds(1794823500 + 42);
  record.duplicates = 4;
  ASSERT_TRUE(ledger_->Add(record).ok());
  ledger_.reset();
  auto database = Database::Open(Path(), {.version = 5});
  ASSERT_TRUE(database.ok()) << database.status();
  auto row = database->Prepare("SELECT hex(checksum) FROM batches");
  ASSERT_TRUE(row.ok() && row->Step().value());
  EXPECT_EQ(absl::AsciiStrToLower(row->Blob(0)),
            "0fa78eda4f63393cf09a9debccbafa7d58302a1711fa086891239b72b5af82c2");
}

TEST_F(SqliteLedgerTest, ADamagedRowStopsTheStart) {
  for (const char* damage :
       {"UPDATE batches SET manifest = x'00'", "UPDATE batches SET task = x''",
        "UPDATE batches SET counts = x'0102'", "UPDATE batches SET counts = x''",
        "UPDATE batches SET state = 0", "UPDATE batches SET good = good + 1",
        "UPDATE batches SET finished = finished + 60", "UPDATE batches SET finished = 1",
        "UPDATE batches SET part = x'02'", "UPDATE batches SET key = zeroblob(8)",
        "UPDATE batches SET part = x'0000000000000001'", "UPDATE batches SET duplicates = 5",
        "UPDATE batches SET counts = zeroblob(24)", "UPDATE batches SET checksum = zeroblob(32)",
        "DELETE FROM batches", "UPDATE whole SET rows = 2", "DELETE FROM whole"}) {
    std::filesystem::remove(Path());
    std::filesystem::remove(Path() + ".mark");
    Restart();
    ASSERT_TRUE(ledger_->Add(Counted(1, 40, {40, 0, 7})).ok());
    Damage(damage);
    EXPECT_TRUE(absl::IsDataLoss(SqliteLedger::Open(Path()).status())) << damage;
  }
}

}  // namespace
}  // namespace tombola::collector
