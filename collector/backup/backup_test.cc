#include "collector/backup/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "collector/backup/manifest.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/data_directory.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/test_batch.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"
#include "common/disk/whole_file.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Everything of a data directory, open as in a daemon.
struct Collector {
  Collector(const std::string& directory, const Clock* clock, RandomSource& random) {
    catalog = *Catalog::Open(absl::StrCat(directory, "/", kCatalogFile));
    keys = *KeyRing::Open({.directory = absl::StrCat(directory, "/", kKeysDirectory),
                           .signing_key = &TestCollectorKey(),
                           .clock = clock},
                          random);
    ledger = *SqliteLedger::Open(absl::StrCat(directory, "/", kBatchesFile));
    EXPECT_TRUE(ReplaceFile(absl::StrCat(directory, "/", kCompleteFile), kCompleteContent).ok());
  }
  void Count(uint8_t batch, const TaskId& task) {
    BatchRecord record;
    record.batch[0] = batch;
    record.of.task = task;
    record.good = 10;
    record.counts.tables = {{.reports = 1, .counts = {batch, 1}, .hashes = {}}};
    EXPECT_TRUE(ledger->Add(record).ok());
  }

  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KeyRing> keys;
  std::unique_ptr<BatchLedger> ledger;
};

class BackupTest : public ::testing::Test {
 protected:
  BackupTest() : task_(MakeTestTask()) {
    fs::create_directories(Live());
    fs::permissions(Live(), fs::perms::owner_all);
    live_.emplace(Live(), &clock_, random_);
    EXPECT_TRUE(live_->catalog->Add(task_).ok());
    live_->Count(1, task_->id());
  }

  std::string Live() const { return directory_.In("live"); }
  std::string Copy() const { return directory_.In("copy"); }
  std::string Fresh() const { return directory_.In("fresh"); }
  absl::Time Now() const { return clock_.Now(); }

  ScratchDirectory directory_;
  FakeClock clock_{TestTaskStart()};
  SeededRandom random_{17};
  std::shared_ptr<const Task> task_;
  std::optional<Collector> live_;
};

TEST_F(BackupTest, ARestoreHasWhatWasThereAtTheCopyAndNothingLater) {
  const absl::Time taken = Now();
  ASSERT_TRUE(Backup(Live(), Copy(), taken).ok());
  const uint64_t serial = live_->keys->serial(), version = live_->catalog->version();
  // All of this is lost.
  live_->Count(2, task_->id());
  const auto later = MakeTestTask([](v1::Task* task) { task->set_name("later"); });
  ASSERT_TRUE(live_->catalog->Add(later).ok());
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(live_->keys->Rotate(std::nullopt, random_).ok());
  const KeyId lost = *IdFromBytes<KeyId>(live_->keys->List().keys(1).key_id());

  const auto restored = Restore(Copy(), Fresh(), Now());
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(restored->taken, taken);
  EXPECT_EQ(restored->tasks, 1);
  Collector back(Fresh(), &clock_, random_);
  EXPECT_EQ(back.ledger->Totals(task_->id())->counted_batches, 1);
  EXPECT_TRUE(back.ledger->Find(BatchId{1})->has_value());
  EXPECT_FALSE(back.ledger->Find(BatchId{2})->has_value());
  EXPECT_EQ(back.catalog->Tasks().size(), 1u);
  // What comes again counts once.
  back.Count(1, task_->id());
  back.Count(2, task_->id());
  EXPECT_EQ(back.ledger->Totals(task_->id())->counts.tables.front().counts,
            (std::vector<int64_t>{3, 2}));
  // Numbers go on above all that were told, and the lost key is in no list.
  EXPECT_GT(live_->keys->serial(), serial);
  EXPECT_GT(live_->catalog->version(), version);
  EXPECT_GE(back.keys->serial(), restored->serial);
  EXPECT_GT(back.keys->serial(), live_->keys->serial());
  EXPECT_GT(back.catalog->version(), live_->catalog->version());
  EXPECT_TRUE(absl::IsNotFound(back.keys->PrivateKey(lost).status()));
  EXPECT_EQ(back.keys->List().keys_size(), 1);
  // It says so, of the tasks that there were.
  ASSERT_EQ(back.catalog->Restores().size(), 1u);
  EXPECT_EQ(back.catalog->Restores()[0].taken, taken);
  EXPECT_EQ(back.catalog->Restores()[0].restored, Now());
  ASSERT_TRUE(back.catalog->Add(later).ok());
  EXPECT_EQ(back.catalog->RestoresOf(task_->id()).size(), 1u);
  EXPECT_EQ(back.catalog->RestoresOf(later->id()).size(), 0u);
}

TEST_F(BackupTest, IsNotMadeWithinTheDataDirectory) {
  for (const char* inside : {"live/copy", "live/keys/../copy", "live/copy/"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(Backup(Live(), directory_.In(inside), Now()))) << inside;
  }
  EXPECT_FALSE(fs::exists(directory_.In("live/copy")));
  EXPECT_TRUE(Backup(Live(), directory_.In("live2"), Now()).ok()) << "only the name is alike";
}

TEST_F(BackupTest, ASecondRestoreOfOneCopyGoesOnAboveTheFirst) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(Restore(Copy(), Fresh(), Now()).ok());
  uint64_t serial = 0, version = 0;
  {
    Collector first(Fresh(), &clock_, random_);
    for (int i = 0; i < 5; ++i) {
      clock_.Advance(absl::Seconds(1));
      ASSERT_TRUE(first.keys->Rotate(std::nullopt, random_).ok());
    }
    ASSERT_TRUE(first.catalog->Close(task_->id()).ok());
    serial = first.keys->serial();
    version = first.catalog->version();
  }
  const std::string second = directory_.In("second");
  ASSERT_TRUE(Restore(Copy(), second, Now()).ok());
  Collector back(second, &clock_, random_);
  EXPECT_GT(back.keys->serial(), serial);
  EXPECT_GT(back.catalog->version(), version);
  // And a restore of a copy of a restored one.
  const std::string again = directory_.In("again"), third = directory_.In("third");
  ASSERT_TRUE(Backup(second, again, Now()).ok());
  ASSERT_TRUE(Restore(again, third, Now()).ok());
  Collector last(third, &clock_, random_);
  EXPECT_GT(last.keys->serial(), back.keys->serial());
  EXPECT_EQ(last.catalog->Restores().size(), 2u);
}

TEST_F(BackupTest, IsItsOwnersAloneAndHasNoLogs) {
  ASSERT_TRUE(Backup(Live(), Copy() + "/", Now()).ok());
  struct stat info {};
  for (const auto& entry : fs::recursive_directory_iterator(Copy())) {
    ASSERT_EQ(stat(entry.path().c_str(), &info), 0);
    if (absl::EndsWith(entry.path().string(), ".key")) {
      EXPECT_EQ(info.st_mode & 07777, 0600u);
    }
    EXPECT_FALSE(absl::EndsWith(entry.path().string(), "-wal")) << entry.path();
    EXPECT_FALSE(absl::EndsWith(entry.path().string(), "-shm")) << entry.path();
  }
  for (const std::string& directory : {Copy(), Copy() + "/keys"}) {
    ASSERT_EQ(stat(directory.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0700u) << directory;
  }
}

TEST_F(BackupTest, OverwritesNothingAndLeavesNothingOfWhatFailed) {
  fs::create_directories(Copy());
  EXPECT_TRUE(absl::IsAlreadyExists(Backup(Live(), Copy(), Now())));
  fs::remove(Copy());
  EXPECT_TRUE(absl::IsNotFound(Backup(directory_.In("nothing"), Copy(), Now())));
  EXPECT_FALSE(fs::exists(Copy()));
  // A private key is gone: what was copied until then goes too.
  const std::string key = absl::StrCat(
      Live(), "/keys/", ToHex(*IdFromBytes<KeyId>(live_->keys->List().keys(0).key_id())), ".key");
  fs::rename(key, directory_.In("away"));
  EXPECT_TRUE(absl::IsNotFound(Backup(Live(), Copy(), Now())));
  EXPECT_FALSE(fs::exists(Copy()));
  fs::rename(directory_.In("away"), key);
  EXPECT_TRUE(Backup(Live(), Copy(), Now()).ok());
}

TEST_F(BackupTest, AHalfBackupIsNotRestored) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  for (const char* name : {"backup", "batches.db", "catalog.db.mark", "keys/keys.db"}) {
    const std::string path = absl::StrCat(Copy(), "/", name);
    fs::rename(path, directory_.In("away"));
    EXPECT_FALSE(Restore(Copy(), Fresh(), Now()).ok()) << name;
    EXPECT_FALSE(fs::exists(Fresh())) << name;
    EXPECT_FALSE(fs::exists(Fresh() + ".restoring")) << name;
    fs::rename(directory_.In("away"), path);
  }
  EXPECT_TRUE(Restore(Copy(), Fresh(), Now()).ok());
}

TEST_F(BackupTest, ARestoreReplacesNothing) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  fs::create_directories(Fresh());
  ASSERT_TRUE(ReplaceFile(Fresh() + "/something", "").ok());
  const absl::Status status = Restore(Copy(), Fresh(), Now()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("must be empty"));
  fs::remove(Fresh() + "/something");
  fs::create_directories(Fresh() + ".restoring");
  EXPECT_TRUE(absl::IsFailedPrecondition(Restore(Copy(), Fresh(), Now()).status()));
  fs::remove(Fresh() + ".restoring");
  EXPECT_TRUE(Restore(Copy(), Fresh(), Now()).ok());
}

// Each file has a bit changed in turn, in its first bytes and further on: nothing comes back, and
// the message names the file.
TEST_F(BackupTest, RefusesABackupInWhichOneBitHasChanged) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Copy())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string path = entry.path(), whole = *ReadSmallFile(path);
    // 25 is in the counter of SQLite's first page, of which its own check says nothing.
    for (size_t at = 25; at < whole.size(); at += whole.size() / 7 + 1) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      ASSERT_TRUE(ReplaceFile(path, changed).ok());
      fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
      const absl::Status status = Restore(Copy(), Fresh(), Now()).status();
      EXPECT_TRUE(absl::IsDataLoss(status)) << path << " " << at << " " << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr(fs::path(path).filename() == "backup" ? "manifest" : path));
      EXPECT_FALSE(fs::exists(Fresh())) << path;
    }
    ASSERT_TRUE(ReplaceFile(path, whole).ok());
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_EQ(files, 8);  // three databases and their marks, a key, the manifest
  EXPECT_TRUE(Restore(Copy(), Fresh(), Now()).ok());
}

TEST_F(BackupTest, SaysThatAFileIsTooShort) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  const std::string path = Copy() + "/batches.db";
  fs::resize_file(path, 4096);
  const absl::Status status = Restore(Copy(), Fresh(), Now()).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path + " is damaged: it has 4096 bytes"));
}

TEST_F(BackupTest, RefusesABackupOfTheFormatBefore) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  const std::string lines = "tombola collector backup 1\ntaken 1794823500\nprogram 0.1.0\n";
  ASSERT_TRUE(ReplaceFile(Copy() + "/backup",
                          absl::StrCat(lines, "checksum ", ToHex(crypto::Sha256(lines)), "\n"))
                  .ok());
  const absl::Status status = Restore(Copy(), Fresh(), Now()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("format version 1, this program's is 2"));
}

TEST_F(BackupTest, SaysInOneLineWhichFileOfTheBackupIsDamaged) {
  ASSERT_TRUE(Backup(Live(), Copy(), Now()).ok());
  for (const char* name : {"/catalog.db", "/batches.db"}) {
    const std::string path = Copy() + name, whole = *ReadSmallFile(path);
    std::string changed = whole;
    for (size_t at = 4096; at < changed.size(); ++at)
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
    ASSERT_TRUE(ReplaceFile(path, changed).ok());
    const absl::Status status = Restore(Copy() + "/", Fresh(), Now()).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
    EXPECT_THAT(std::string(status.message()),
                ::testing::Not(::testing::AnyOf(HasSubstr("\n"), HasSubstr("restoring"))));
    ASSERT_TRUE(ReplaceFile(path, whole).ok());
  }
}

// Whoever counts goes on meanwhile, and a copy has a whole number of batches, none less than were
// acknowledged before it was begun.
TEST_F(BackupTest, IsConsistentWhileTheCollectorCounts) {
  std::atomic<int> counted = 1;
  std::atomic<bool> stop = false;
  std::thread counting([&] {
    for (uint8_t batch = 2; batch < 200 && !stop; ++batch) {
      live_->Count(batch, task_->id());
      counted = batch;
    }
  });
  for (int i = 0; i < 4; ++i) {
    const int before = counted;
    const std::string copy = directory_.In(absl::StrCat("copy", i));
    const absl::Status made = Backup(Live(), copy, Now());
    const int after = counted + 1;
    ASSERT_TRUE(made.ok()) << made;
    const std::string fresh = directory_.In(absl::StrCat("fresh", i));
    ASSERT_TRUE(Restore(copy, fresh, Now()).ok());
    Collector back(fresh, &clock_, random_);
    const auto totals = back.ledger->Totals(task_->id());
    EXPECT_GE(totals->counted_batches, before);
    EXPECT_LE(totals->counted_batches, after);
    const int64_t n = totals->counted_batches;
    EXPECT_EQ(totals->counts.tables.front().counts, (std::vector<int64_t>{n * (n + 1) / 2, n}));
  }
  stop = true;
  counting.join();
}

BackupManifest WholeManifest() {
  BackupManifest manifest{.taken = absl::FromUnixSeconds(1794823500), .program = "0.1.0"};
  for (const absl::string_view name : kDatabases) {
    manifest.files[std::string(name)].bytes = 8192;
    manifest.files[absl::StrCat(name, ".mark")].sha256.fill(1);
  }
  manifest.files["keys/0123456789abcdef.key"].bytes = 32;
  return manifest;
}

TEST(BackupManifestTest, NamesEveryDatabaseAndNothingElsewhere) {
  ASSERT_TRUE(ParseBackupManifest(Print(WholeManifest())).ok());
  for (const auto& [path, file] : WholeManifest().files) {
    BackupManifest manifest = WholeManifest();
    manifest.files.erase(path);
    EXPECT_EQ(ParseBackupManifest(Print(manifest)).ok(), absl::EndsWith(path, ".key")) << path;
  }
  for (const char* path : {"../batches.db", "complete", "keys/../../0123456789a.key", "keys/a.key",
                           "/etc/passwd", ".mark"}) {
    BackupManifest manifest = WholeManifest();
    manifest.files[path].bytes = 1;
    EXPECT_TRUE(absl::IsDataLoss(ParseBackupManifest(Print(manifest)).status())) << path;
  }
}

TEST(BackupManifestTest, IsReadAsItWasWrittenAndNotIfItWasChanged) {
  const std::string text = Print(WholeManifest());
  EXPECT_THAT(text, HasSubstr("tombola collector backup 2\ntaken 1794823500\nprogram 0.1.0\n"));
  EXPECT_THAT(text, HasSubstr(absl::StrCat("file 8192 ", std::string(64, '0'), " batches.db\n")));
  const auto read = ParseBackupManifest(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(Print(*read), text);
  for (size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_TRUE(absl::IsDataLoss(ParseBackupManifest(changed).status())) << at;
    EXPECT_TRUE(absl::IsDataLoss(ParseBackupManifest(text.substr(0, at)).status())) << at;
  }
}

}  // namespace
}  // namespace tombola::collector
