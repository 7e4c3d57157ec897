// Whatever the medium does to a file of the collector's, it opens with all that was acknowledged or
// not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_store.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/test_batch.h"
#include "common/crypto/hpke_suite.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

namespace fs = std::filesystem;

// One of the three databases: filled step by step, and described as a whole.
struct Kind {
  const char* file;
  // Opens it in this directory and makes so many changes, calling back after each while it is open.
  std::function<void(const std::string& directory, int changes, const std::function<void()>&)> fill;
  std::function<absl::StatusOr<std::string>(const std::string& directory)> describe;
};

void FillBatches(const std::string& directory, int changes, const std::function<void()>& after) {
  const auto ledger = *SqliteLedger::Open(absl::StrCat(directory, "/batches.db"));
  for (int i = 0; i < changes; ++i) {
    BatchRecord record;
    record.batch[0] = static_cast<uint8_t>(i + 1);
    record.good = 40 + i;
    record.counts.tables = {{.reports = 40 + i, .counts = {40, 0, i}, .hashes = {}}};
    record.finished = TestTaskStart();
    ASSERT_TRUE(ledger->Add(record).ok());
    after();
  }
}

absl::StatusOr<std::string> DescribeBatches(const std::string& directory) {
  const auto ledger = SqliteLedger::Open(absl::StrCat(directory, "/batches.db"));
  if (!ledger.ok()) return ledger.status();
  const auto totals = (*ledger)->Totals(TaskId{});
  std::string text = absl::StrCat(totals->counted_batches, " batches, ", totals->good, " good:");
  for (const int64_t count : totals->counts.tables.front().counts)
    absl::StrAppend(&text, " ", count);
  // Every one is found by its id, too, so that none counts again.
  for (uint8_t n = 1; n <= 9; ++n) {
    const auto found = (*ledger)->Find(BatchId{n});
    if (!found.ok()) return found.status();
    absl::StrAppend(&text, found->has_value() ? " there" : " not");
  }
  return text;
}

void FillCatalog(const std::string& directory, int changes, const std::function<void()>& after) {
  const auto catalog = *Catalog::Open(absl::StrCat(directory, "/catalog.db"));
  std::shared_ptr<const Task> last;
  for (int i = 0; i < changes; ++i) {
    // A task, its progress or a restore, its end, and again.
    if (i % 3 == 0) {
      last = MakeTestTask([&](v1::Task* task) { task->set_name(absl::StrCat("task ", i)); });
      ASSERT_TRUE(catalog->Add(last).ok());
    } else if (i == 4) {
      ASSERT_TRUE(catalog->NoteRestore(TestTaskStart(), TestTaskStart() + absl::Hours(i)).ok());
    } else if (i % 3 == 1) {
      ASSERT_TRUE(catalog->SetProgress(last->id(), 35, i).ok());
    } else {
      ASSERT_TRUE(catalog->Close(last->id()).ok());
    }
    after();
  }
}

absl::StatusOr<std::string> DescribeCatalog(const std::string& directory) {
  const auto catalog = Catalog::Open(absl::StrCat(directory, "/catalog.db"));
  if (!catalog.ok()) return catalog.status();
  std::string text = absl::StrCat("version ", (*catalog)->version());
  for (const CatalogRestore& restore : (*catalog)->Restores()) {
    absl::StrAppend(&text, ", restored ", absl::ToUnixSeconds(restore.restored));
  }
  for (const CatalogEntry& entry : (*catalog)->Tasks()) {
    absl::StrAppend(&text, ", ", ToHex(entry.task->id()), " ", entry.task->name(), " ",
                    entry.closed, " ", entry.held_percent, " ", entry.expired);
  }
  return text;
}

void FillKeys(const std::string& directory, int changes, const std::function<void()>& after) {
  auto store = *KeyStore::Open(absl::StrCat(directory, "/keys"));
  SeededRandom random(5);
  KeyRecord last;
  for (int i = 0; i < changes; ++i) {
    // A key, its end, and again.
    if (i % 2 == 0) {
      const auto key = *crypto::HpkePrivateKey::Generate(random);
      std::copy(key.public_key().begin(), key.public_key().end(), last.key.public_key.begin());
      last.key.id = crypto::HpkeKeyId(last.key.public_key);
      last.key.not_before = TestTaskStart();
      last.key.not_after = last.key.closes = TestTaskStart() + absl::Hours(2);
      last.destroyed.reset();
      ASSERT_TRUE(store.WritePrivateKey(last.key.id, key.private_key()).ok());
    } else {
      last.key.closes = TestTaskStart() + absl::Hours(3);
    }
    ASSERT_TRUE(store.Save(static_cast<uint64_t>(i) + 1, {last}).ok());
    after();
  }
}

absl::StatusOr<std::string> DescribeKeys(const std::string& directory) {
  auto store = KeyStore::Open(absl::StrCat(directory, "/keys"));
  if (!store.ok()) return store.status();
  const auto content = store->Load();
  if (!content.ok()) return content.status();
  std::string text = absl::StrCat("serial ", content->serial);
  for (const KeyRecord& record : content->records) {
    absl::StrAppend(&text, ", ", ToHex(record.key.id), " ", absl::ToUnixSeconds(record.key.closes));
  }
  return text;
}

// Not synced: nothing here loses power.
void Put(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  ASSERT_TRUE(file.flush().good()) << path;
}

std::string BytesOf(const std::string& path) {
  const auto bytes = ReadSmallFile(path);
  return bytes.ok() ? *bytes : std::string();
}

class StorageTest : public ::testing::TestWithParam<Kind> {
 protected:
  // The directory as a process that is killed leaves it after so many changes.
  void Crash(int changes) {
    fs::remove_all(directory_.In("live"));
    fs::create_directories(directory_.In("live"));
    int done = 0;
    GetParam().fill(directory_.In("live"), changes, [&] {
      if (++done < changes) return;
      fs::remove_all(directory_.In("crashed"));
      fs::copy(directory_.In("live"), directory_.In("crashed"), fs::copy_options::recursive);
    });
  }
  std::string Path(const std::string& suffix) const {
    return directory_.In(absl::StrCat("crashed/", GetParam().file, suffix));
  }
  absl::StatusOr<std::string> Describe() { return GetParam().describe(directory_.In("crashed")); }

  // All it had, or nothing, and then it is left as it is.
  void ExpectAllOrNothing(const std::string& what) {
    const std::string before[] = {BytesOf(Path("")), BytesOf(Path("-wal")), BytesOf(Path(".mark"))};
    const auto found = Describe();
    if (found.ok()) {
      EXPECT_EQ(*found, whole_) << what;
      ++opened_;
      return;
    }
    ++refused_;
    EXPECT_EQ(BytesOf(Path("")), before[0]) << what;
    EXPECT_EQ(BytesOf(Path("-wal")), before[1]) << what;
    EXPECT_EQ(BytesOf(Path(".mark")), before[2]) << what;
  }

  // Changes bytes of one file, one at a time: those of headers densely, of the rest a sample.
  void ChangeBytes(const std::string& suffix, size_t dense, size_t sparse) {
    const std::string path = Path(suffix), whole = BytesOf(path);
    ASSERT_FALSE(whole.empty()) << path;
    for (size_t at = 0; at < whole.size(); ++at) {
      if (at >= dense && at % (whole[at] == 0 ? 4 * sparse : sparse) != 0) continue;
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
      Put(path, changed);
      ExpectAllOrNothing(absl::StrCat(suffix, " at ", at));
    }
    Put(path, whole);
  }

  ScratchDirectory directory_{ScratchDirectory::Place::kMemory};
  std::string whole_;
  int opened_ = 0, refused_ = 0;
};

constexpr int kChanges = 6;

TEST_P(StorageTest, AChangedByteOfTheLog) {
  Crash(kChanges);
  whole_ = *Describe();
  ChangeBytes("-wal", 32 + 24 + 100, 53);
  EXPECT_GT(refused_, 0);
}

TEST_P(StorageTest, ALogThatIsCutShort) {
  Crash(kChanges);
  whole_ = *Describe();
  const std::string log = BytesOf(Path("-wal"));
  for (size_t size = 0; size < log.size(); size += size % 4096 < 64 ? 7 : 509) {
    Put(Path("-wal"), log.substr(0, size));
    ExpectAllOrNothing(absl::StrCat("cut to ", size));
  }
  fs::remove(Path("-wal"));
  ExpectAllOrNothing("no log");
  EXPECT_EQ(opened_, 0);
}

TEST_P(StorageTest, AChangedByteOfTheMark) {
  Crash(kChanges);
  whole_ = *Describe();
  ChangeBytes(".mark", 64, 5);
  EXPECT_EQ(refused_, 0) << "one slot is as good as two";
  fs::remove(Path(".mark"));
  EXPECT_TRUE(absl::IsDataLoss(Describe().status()));
}

TEST_P(StorageTest, AChangedByteOfTheDatabase) {
  Crash(kChanges);
  whole_ = *Describe();
  ChangeBytes("", 100, 31);
  // Once more with nothing in the log.
  fs::remove_all(directory_.In("crashed"));
  fs::copy(directory_.In("live"), directory_.In("crashed"), fs::copy_options::recursive);
  ASSERT_FALSE(fs::exists(Path("-wal")));
  EXPECT_EQ(*Describe(), whole_);
  ChangeBytes("", 100, 7);
  EXPECT_GT(refused_, 0);
}

// A checkpoint that is cut short, a copy that was put back in part: files of different times.
TEST_P(StorageTest, FilesOfDifferentTimes) {
  struct Time {
    std::string database, log, mark;
  };
  std::vector<Time> times;
  fs::create_directories(directory_.In("live"));
  GetParam().fill(directory_.In("live"), kChanges, [&] {
    const std::string path = directory_.In(absl::StrCat("live/", GetParam().file));
    times.push_back({BytesOf(path), BytesOf(path + "-wal"), BytesOf(path + ".mark")});
    fs::remove_all(directory_.In("crashed"));
    fs::copy(directory_.In("live"), directory_.In("crashed"), fs::copy_options::recursive);
  });
  whole_ = *Describe();
  // As it is after all of it was moved from the log to the database.
  times.push_back(
      {BytesOf(directory_.In(absl::StrCat("live/", GetParam().file))), "", times.back().mark});
  for (const Time& database : times) {
    for (const Time& log : times) {
      Put(Path(""), database.database);
      Put(Path("-wal"), log.log);
      Put(Path(".mark"), times.back().mark);
      ExpectAllOrNothing("files of different times");
    }
  }
  EXPECT_GT(opened_, 0);
  EXPECT_GT(refused_, 0);
}

INSTANTIATE_TEST_SUITE_P(All, StorageTest,
                         ::testing::Values(Kind{"batches.db", FillBatches, DescribeBatches},
                                           Kind{"catalog.db", FillCatalog, DescribeCatalog},
                                           Kind{"keys/keys.db", FillKeys, DescribeKeys}),
                         [](const auto& info) {
                           return std::string(info.param.file).substr(0, 4);
                         });

}  // namespace
}  // namespace tombola::collector
