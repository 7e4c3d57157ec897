#include "collector/database/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <utility>

#include "collector/test_batch.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

DatabaseFormat Format(int version) {
  return {.version = version,
          .schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"};
}

// Inside a transaction.
absl::Status Write(Database& database, int64_t id, absl::string_view bytes) {
  auto insert = database.Prepare("INSERT INTO t VALUES (?, ?)");
  if (!insert.ok()) return insert.status();
  insert->Bind(0, id);
  insert->BindBlob(1, bytes);
  return Database::Run(*insert);
}

absl::Status Insert(Database& database, int64_t id, absl::string_view bytes) {
  auto transaction = Transaction::Begin(database);
  if (!transaction.ok()) return transaction.status();
  const absl::Status written = Write(database, id, bytes);
  return written.ok() ? transaction->Commit() : written;
}

int64_t RowsOf(Database& database) {
  auto count = database.Prepare("SELECT COUNT(*) FROM t");
  EXPECT_TRUE(count.ok() && count->Step().value());
  return count->Integer(0);
}

std::string BytesOf(Database& database, int64_t id) {
  auto row = database.Prepare("SELECT bytes FROM t WHERE id = ?");
  row->Bind(0, id);
  EXPECT_TRUE(row->Step().value());
  return row->Blob(0);
}

class DatabaseTest : public ::testing::Test {
 protected:
  Database Open() {
    auto database = Database::Open(directory_.In("t.db"), Format(1));
    EXPECT_TRUE(database.ok()) << database.status();
    return *std::move(database);
  }

  ScratchDirectory directory_;
};

TEST_F(DatabaseTest, KeepsWhatWasWrittenOverARestart) {
  const std::string bytes("a\0b\xff", 4);
  {
    Database database = Open();
    ASSERT_TRUE(Insert(database, -7, bytes).ok());
  }
  Database database = Open();
  EXPECT_EQ(RowsOf(database), 1);
  EXPECT_EQ(BytesOf(database, -7), bytes);
}

TEST_F(DatabaseTest, AnEmptyBlobIsNotNull) {
  Database database = Open();
  ASSERT_TRUE(Insert(database, 1, absl::string_view()).ok());
  ASSERT_TRUE(Insert(database, 2, "").ok());
  EXPECT_EQ(BytesOf(database, 1), "");
  EXPECT_EQ(BytesOf(database, 2), "");
}

TEST_F(DatabaseTest, ATransactionThatIsNotCommittedLeavesNothing) {
  Database database = Open();
  ASSERT_TRUE(Insert(database, 1, "kept").ok());
  {
    auto transaction = Transaction::Begin(database);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(Write(database, 2, "dropped").ok());
    EXPECT_EQ(RowsOf(database), 2);
  }
  EXPECT_EQ(RowsOf(database), 1);
}

TEST_F(DatabaseTest, ACommittedTransactionStays) {
  {
    Database database = Open();
    auto transaction = Transaction::Begin(database);
    ASSERT_TRUE(transaction.ok());
    Transaction moved = *std::move(transaction);
    ASSERT_TRUE(Write(database, 1, "a").ok());
    ASSERT_TRUE(Write(database, 2, "b").ok());
    ASSERT_TRUE(moved.Commit().ok());
  }
  Database database = Open();
  EXPECT_EQ(RowsOf(database), 2);
}

TEST_F(DatabaseTest, ASecondConnectionSeesOnlyWhatWasCommitted) {
  Database database = Open();
  Database reader = Open();
  auto transaction = Transaction::Begin(database);
  ASSERT_TRUE(transaction.ok());
  ASSERT_TRUE(Write(database, 1, "a").ok());
  EXPECT_EQ(RowsOf(reader), 0);
  ASSERT_TRUE(transaction->Commit().ok());
  EXPECT_EQ(RowsOf(reader), 1);
}

TEST_F(DatabaseTest, IsDurableByItsSettings) {
  Database database = Open();
  auto synchronous = database.Prepare("PRAGMA synchronous");
  ASSERT_TRUE(synchronous.ok() && synchronous->Step().value());
  EXPECT_EQ(synchronous->Integer(0), 2);  // FULL
  auto journal = database.Prepare("PRAGMA journal_mode");
  ASSERT_TRUE(journal.ok() && journal->Step().value());
  EXPECT_EQ(journal->Blob(0), "wal");
  auto secure_delete = database.Prepare("PRAGMA secure_delete");
  ASSERT_TRUE(secure_delete.ok() && secure_delete->Step().value());
  EXPECT_EQ(secure_delete->Integer(0), 1);
}

TEST_F(DatabaseTest, ASecondRowOfOneKeyAlreadyExists) {
  Database database = Open();
  ASSERT_TRUE(Insert(database, 1, "first").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(Insert(database, 1, "second")));
  EXPECT_EQ(BytesOf(database, 1), "first");
}

TEST_F(DatabaseTest, ADamagedFileIsDataLossAndNamed) {
  ASSERT_TRUE(ReplaceFile(directory_.In("t.db"), std::string(4096, 'x')).ok());
  const absl::Status status = Database::Open(directory_.In("t.db"), Format(1)).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(directory_.In("t.db")));
}

TEST_F(DatabaseTest, AMissingDirectoryIsUnavailableAndNamed) {
  const std::string path = directory_.In("missing/t.db");
  const absl::Status status = Database::Open(path, Format(1)).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr(path));
}

TEST_F(DatabaseTest, AnotherFormatVersionIsRefusedAndLeftAsItIs) {
  { Database database = Open(); }
  const absl::Status status = Database::Open(directory_.In("t.db"), Format(2)).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("version is 1, this program's is 2"));
  Open();
}

TEST_F(DatabaseTest, AForeignFileIsRefusedAndLeftAsItIs) {
  const std::string path = directory_.In("t.db");
  {
    sqlite3* foreign = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &foreign), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(foreign, "CREATE TABLE x(y)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(foreign);
  }
  const std::string before = *ReadSmallFile(path);
  EXPECT_TRUE(absl::IsFailedPrecondition(Database::Open(path, Format(1)).status()));
  EXPECT_EQ(*ReadSmallFile(path), before);
}

TEST_F(DatabaseTest, ItsLogIsThereAfterTheFirstTransaction) {
  Database database = Open();
  ASSERT_TRUE(Insert(database, 1, "a").ok());
  EXPECT_TRUE(std::filesystem::exists(directory_.In("t.db-wal")));
}

TEST_F(DatabaseTest, WhatIsWrittenOutsideOfATransactionIsRefused) {
  Database database = Open();
  ASSERT_TRUE(Insert(database, 1, "a").ok());
  EXPECT_FALSE(Write(database, 2, "b").ok());
  EXPECT_FALSE(database.Execute("DELETE FROM t").ok());
  EXPECT_EQ(RowsOf(database), 1);
  ASSERT_TRUE(Insert(database, 2, "b").ok());
}

// In the middle of the first start: SQLite made the file, and nothing was in it yet.
TEST_F(DatabaseTest, AnEmptyFileIsMadeAnew) {
  ASSERT_TRUE(ReplaceFile(directory_.In("t.db"), "").ok());
  Database database = Open();
  EXPECT_EQ(RowsOf(database), 0);
}

TEST_F(DatabaseTest, ANewFileIsWholeBeforeItHasItsName) {
  // Whatever an attempt that was cut short left beside it.
  ASSERT_TRUE(ReplaceFile(directory_.In("t.db.tmp"), "half of a database").ok());
  { Database database = Open(); }
  EXPECT_FALSE(std::filesystem::exists(directory_.In("t.db.tmp")));
  Database database = Open();
  EXPECT_EQ(RowsOf(database), 0);
}

TEST_F(DatabaseTest, WrongSqlIsAnErrorAndNoCrash) {
  Database database = Open();
  EXPECT_FALSE(database.Prepare("SELECT nothing FROM nowhere").ok());
  EXPECT_FALSE(database.Execute("not SQL").ok());
}

}  // namespace
}  // namespace tombola::collector
