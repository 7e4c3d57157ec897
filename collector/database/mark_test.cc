#include "collector/database/mark.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/escaping.h"
#include "collector/database/database.h"
#include "collector/test_batch.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSlotBytes = 64, kSecondSlot = 4096, kFileBytes = 8192;

DatabaseId IdOf(uint8_t fill) {
  DatabaseId id;
  id.fill(fill);
  return id;
}

class MarkTest : public ::testing::Test {
 protected:
  std::string Path() const { return directory_.In("t.db.mark"); }
  int64_t Commits() const {
    const auto mark = Mark::Open(Path());
    EXPECT_TRUE(mark.ok()) << mark.status();
    return mark.ok() ? mark->commits() : -1;
  }

  ScratchDirectory directory_;
};

TEST_F(MarkTest, SaysWhatItWasRaisedToOverARestart) {
  EXPECT_TRUE(absl::IsNotFound(Mark::Open(Path()).status()));
  { ASSERT_TRUE(Mark::Make(Path(), IdOf(7), 0).ok()); }
  EXPECT_EQ(Commits(), 0);
  for (int64_t commits = 1; commits < 6; ++commits) {
    auto mark = Mark::Open(Path());
    ASSERT_TRUE(mark.ok() && mark->Raise(commits).ok());
    EXPECT_EQ(mark->commits(), commits);
    EXPECT_EQ(Commits(), commits);
  }
  EXPECT_EQ(Mark::Open(Path())->database(), IdOf(7));
}

// The worked example of docs/collector-format.md.
TEST_F(MarkTest, WritesTheDocumentedBytes) {
  auto mark = Mark::Make(Path(), IdOf(0x11), 0);
  ASSERT_TRUE(mark.ok() && mark->Raise(1).ok() && mark->Raise(2).ok());
  const std::string content = *ReadSmallFile(Path());
  ASSERT_EQ(content.size(), kFileBytes);
  EXPECT_EQ(absl::BytesToHexString(content.substr(0, kSlotBytes)),
            "544d424c4d524b3111111111111111111111111111111111"
            "0200000000000000"
            "0bfafb743c3dc9832f1ff749da78c6d6f3673faad1938c362131750caf8c7bf9");
}

TEST_F(MarkTest, AWriteThatWasCutShortLeavesTheNumberBefore) {
  auto mark = Mark::Make(Path(), IdOf(7), 0);
  ASSERT_TRUE(mark.ok() && mark->Raise(1).ok() && mark->Raise(2).ok());
  const std::string before = *ReadSmallFile(Path());
  ASSERT_TRUE(mark->Raise(3).ok());
  const std::string after = *ReadSmallFile(Path());
  for (size_t written = 0; written <= kSlotBytes; ++written) {
    std::string torn = before;
    torn.replace(kSecondSlot, written, after.substr(kSecondSlot, written));
    ASSERT_TRUE(ReplaceFile(Path(), torn).ok());
    const int64_t commits = Commits();
    EXPECT_TRUE(commits == 2 || commits == 3) << written;
    EXPECT_EQ(commits == 3, torn == after) << written;
  }
}

// After a sync that failed the number can be read until the power goes, and is gone then.
TEST_F(MarkTest, WhatWasReadIsWrittenAgainBeforeItIsReliedOn) {
  { ASSERT_TRUE(Mark::Make(Path(), IdOf(7), 0)->Raise(1).ok()); }
  auto mark = Mark::Open(Path());
  ASSERT_EQ(mark->commits(), 1);
  std::fstream(Path(), std::ios::in | std::ios::out).seekp(kSecondSlot) << std::string(64, '\0');
  ASSERT_EQ(Commits(), 0);
  ASSERT_TRUE(mark->Raise(1).ok());
  EXPECT_EQ(Commits(), 1);
}

TEST_F(MarkTest, AChangedByteIsTheNumberBeforeOrNothing) {
  {
    auto mark = Mark::Make(Path(), IdOf(7), 0);
    ASSERT_TRUE(mark.ok() && mark->Raise(1).ok() && mark->Raise(2).ok());
  }
  const std::string whole = *ReadSmallFile(Path());
  for (const size_t slot : {size_t{0}, kSecondSlot}) {
    for (size_t at = slot; at < slot + kSlotBytes; ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      ASSERT_TRUE(ReplaceFile(Path(), changed).ok());
      EXPECT_EQ(Commits(), slot == 0 ? 1 : 2) << at;
      changed[kSecondSlot - slot] ^= 1;
      ASSERT_TRUE(ReplaceFile(Path(), changed).ok());
      EXPECT_TRUE(absl::IsDataLoss(Mark::Open(Path()).status())) << at;
    }
  }
  for (size_t size = 0; size < kFileBytes; size += 509) {
    ASSERT_TRUE(ReplaceFile(Path(), whole.substr(0, size)).ok());
    EXPECT_TRUE(absl::IsDataLoss(Mark::Open(Path()).status())) << size;
  }
}

// --- a database and its mark ---

class MarkedDatabaseTest : public MarkTest {
 protected:
  std::string Db() const { return directory_.In("t.db"); }
  absl::StatusOr<Database> Open() const {
    return Database::Open(Db(), {.version = 1, .schema = "CREATE TABLE t(id INTEGER);"});
  }
  static absl::Status Insert(Database& database) {
    auto transaction = Transaction::Begin(database);
    if (!transaction.ok()) return transaction.status();
    const absl::Status inserted = database.Execute("INSERT INTO t VALUES (1)");
    return inserted.ok() ? transaction->Commit() : inserted;
  }
  // A database with so many rows, closed in order.
  void Make(int rows) {
    auto database = Open();
    ASSERT_TRUE(database.ok()) << database.status();
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(Insert(*database).ok());
  }
  int64_t RowsNow() const {
    auto database = Open();
    EXPECT_TRUE(database.ok()) << database.status();
    auto count = database->Prepare("SELECT COUNT(*) FROM t");
    EXPECT_TRUE(count.ok() && count->Step().value());
    return count->Integer(0);
  }
  void ExpectRefused(const std::string& why) const {
    const absl::Status status = Open().status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
    EXPECT_THAT(std::string(status.message()), HasSubstr("restore a backup"));
  }
};

TEST_F(MarkedDatabaseTest, ACrashBetweenACommitAndItsMarkLosesNothing) {
  Make(1);
  const std::string before = *ReadSmallFile(Path());
  {
    auto database = Open();
    auto transaction = Transaction::Begin(*database);  // the first one of a process counts too
    ASSERT_TRUE(transaction.ok());
  }
  const std::string at_hand = *ReadSmallFile(Path());
  EXPECT_NE(before, at_hand);
  ASSERT_TRUE(ReplaceFile(Path(), before).ok());
  EXPECT_EQ(RowsNow(), 1);
  Make(1);
  EXPECT_EQ(RowsNow(), 2);
}

TEST_F(MarkedDatabaseTest, AMarkOfAnOlderTimeIsRefused) {
  Make(1);
  const std::string before = *ReadSmallFile(Path());
  Make(3);
  ASSERT_TRUE(ReplaceFile(Path(), before).ok());
  ExpectRefused("the two are of different times");
}

TEST_F(MarkedDatabaseTest, ADatabaseOfAnOlderTimeIsRefusedWithWhatIsMissing) {
  Make(1);
  const std::string before = *ReadSmallFile(Db());
  Make(2);
  ASSERT_TRUE(ReplaceFile(Db(), before).ok());
  ExpectRefused("it has 2 transactions");
  ExpectRefused("the last 3 are lost");
  EXPECT_EQ(*ReadSmallFile(Db()), before);
}

TEST_F(MarkedDatabaseTest, AMissingMarkIsRefused) {
  Make(1);
  std::filesystem::remove(Path());
  ExpectRefused("is missing");
  EXPECT_FALSE(std::filesystem::exists(Path()));
}

TEST_F(MarkedDatabaseTest, AMissingOrEmptyDatabaseBesideItsMarkIsRefused) {
  Make(1);
  std::filesystem::remove(Db());
  ExpectRefused("had 2 transactions");
  EXPECT_FALSE(std::filesystem::exists(Db()));
  ASSERT_TRUE(ReplaceFile(Db(), "").ok());
  ExpectRefused("had 2 transactions");
}

TEST_F(MarkedDatabaseTest, TheMarkOfAnotherDatabaseIsRefused) {
  Make(1);
  const std::string other = *ReadSmallFile(Path());
  std::filesystem::remove(Path());
  std::filesystem::remove(Db());
  Make(1);
  ASSERT_TRUE(ReplaceFile(Path(), other).ok());
  ExpectRefused("of another database");
}

// The mark is made first: a crash then leaves one that says 0 beside nothing.
TEST_F(MarkedDatabaseTest, AMakingThatWasCutShortBeginsAgain) {
  { ASSERT_TRUE(Mark::Make(Path(), IdOf(7), 0).ok()); }
  Make(2);
  EXPECT_EQ(RowsNow(), 2);
  EXPECT_NE(Mark::Open(Path())->database(), IdOf(7));
}

TEST_F(MarkedDatabaseTest, WhatIsOnlyReadStaysAsItIs) {
  Make(2);
  const std::string db = *ReadSmallFile(Db()), mark = *ReadSmallFile(Path());
  EXPECT_EQ(RowsNow(), 2);
  EXPECT_EQ(*ReadSmallFile(Db()), db);
  EXPECT_EQ(*ReadSmallFile(Path()), mark);
}

// Takes the right to write away from what this process has open of a file.
void MakeReadOnly(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) != path) continue;
    const int fd = std::stoi(entry.path().filename().string());
    const int blunt = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(blunt, 0);
    ASSERT_EQ(::dup2(blunt, fd), fd);
    ::close(blunt);
  }
}

TEST_F(MarkedDatabaseTest, WithoutItsMarkATransactionIsNotAcknowledgedAndNothingGoesOn) {
  {
    auto database = Open();
    ASSERT_TRUE(Insert(*database).ok());
    MakeReadOnly(std::filesystem::canonical(Path()));
    const absl::Status status = Insert(*database);
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_EQ(database->state(), status);
    // Not even what is there is shown: whoever asks again must not be told that it is safe.
    EXPECT_EQ(database->Prepare("SELECT * FROM t").status(), status);
    EXPECT_EQ(Insert(*database), status);
  }
  EXPECT_EQ(RowsNow(), 2);
}

}  // namespace
}  // namespace tombola::collector
