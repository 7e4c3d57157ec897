// What a crash between the steps of a change leaves.
#include "collector/catalog/key_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/test_batch.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

class KeyStoreTest : public ::testing::Test {
 protected:
  absl::StatusOr<KeyStore> Open() { return KeyStore::Open(directory_.In("keys")); }
  KeyStore MustOpen() {
    auto store = Open();
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  // A key for two hours whose file is written.
  KeyRecord Make(const KeyStore& store) {
    const auto key = *crypto::HpkePrivateKey::Generate(random_);
    KeyRecord record;
    std::copy(key.public_key().begin(), key.public_key().end(), record.key.public_key.begin());
    record.key.id = crypto::HpkeKeyId(record.key.public_key);
    record.key.not_before = TestTaskStart();
    record.key.not_after = TestTaskStart() + absl::Hours(2);
    record.key.closes = TestTaskStart() + absl::Hours(3);
    EXPECT_TRUE(store.WritePrivateKey(record.key.id, key.private_key()).ok());
    return record;
  }
  std::string PathOf(const KeyRecord& record) const {
    return directory_.In(absl::StrCat("keys/", ToHex(record.key.id), ".key"));
  }

  ScratchDirectory directory_;
  SeededRandom random_{3};
};

TEST_F(KeyStoreTest, KeepsWhatWasSavedOverAReopening) {
  KeyStore store = MustOpen();
  EXPECT_EQ(store.Load()->serial, 0u);
  KeyRecord first = Make(store);
  first.key.task = TaskId{4};
  first.key.part = 7;
  const KeyRecord second = Make(store);
  ASSERT_TRUE(store.Save(1, {first, second}).ok());
  first.key.not_after = TestTaskStart() + absl::Hours(1);
  ASSERT_TRUE(store.Save(2, {first}).ok());
  KeyStore reopened = MustOpen();
  for (KeyStore* at_hand : {&store, &reopened}) {
    const auto content = at_hand->Load();
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(content->serial, 2u);
    ASSERT_EQ(content->records.size(), 2u);
    EXPECT_EQ(content->records[0].key.id, first.key.id);
    EXPECT_EQ(content->records[0].key.not_after, first.key.not_after);
    EXPECT_EQ(content->records[0].key.closes, first.key.closes);
    EXPECT_EQ(content->records[0].key.public_key, first.key.public_key);
    EXPECT_FALSE(content->records[0].destroyed.has_value());
    EXPECT_EQ(content->records[0].key.task, TaskId{4});
    EXPECT_EQ(content->records[0].key.part, 7u);
    EXPECT_EQ(content->records[1].key.task, std::nullopt);
    EXPECT_EQ(content->records[1].key.part, 0u);
    EXPECT_EQ(content->private_keys.size(), 2u);
  }
}

TEST_F(KeyStoreTest, ACrashAfterTheFileAndBeforeTheListLeavesAFileThatIsDestroyed) {
  KeyRecord known, unknown;
  {
    KeyStore store = MustOpen();
    known = Make(store);
    ASSERT_TRUE(store.Save(1, {known}).ok());
    unknown = Make(store);
  }
  ASSERT_TRUE(std::filesystem::exists(PathOf(unknown) + ".new"));
  ASSERT_TRUE(std::filesystem::exists(PathOf(known)));
  const auto content = MustOpen().Load();
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->records.size(), 1u);
  EXPECT_EQ(content->private_keys.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(PathOf(unknown) + ".new"));
}

TEST_F(KeyStoreTest, CopiesThatPeopleMadeAreLeftAlone) {
  KeyStore store = MustOpen();
  const KeyRecord record = Make(store);
  ASSERT_TRUE(store.Save(1, {record}).ok());
  ASSERT_TRUE(MustOpen().Load().ok());  // the file has its name now
  const std::string key = PathOf(record), secret = *ReadSmallFile(key);
  const auto copies = {".backup", ".bak", ".new.bak", ".draft.old"};
  for (const char* ending : copies) ASSERT_TRUE(ReplaceFile(key + ending, secret).ok());
  std::filesystem::create_hard_link(key, key + ".linked");  // as snapshots do
  const std::string draft = key + ".new.draft.a1B2c3";
  ASSERT_TRUE(ReplaceFile(draft, secret).ok());
  ASSERT_TRUE(MustOpen().Load().ok());
  EXPECT_FALSE(std::filesystem::exists(draft)) << "of a write that was cut short";
  for (const char* ending : copies) EXPECT_TRUE(std::filesystem::exists(key + ending)) << ending;
  EXPECT_EQ(*ReadSmallFile(key), secret);
  EXPECT_EQ(*ReadSmallFile(key + ".linked"), secret);
}

// A power cut may undo the removal of the draft that the key's file was linked from.
TEST_F(KeyStoreTest, ADraftThatIsASecondNameOfTheKeyDoesNotTakeItAlong) {
  KeyStore store = MustOpen();
  const KeyRecord record = Make(store);
  ASSERT_TRUE(store.Save(1, {record}).ok());
  const std::string draft = PathOf(record) + ".new.draft.a1B2c3";
  for (const char* ending : {"", ".new"}) {  // before and after the file has its name
    if (*ending != 0) std::filesystem::rename(PathOf(record), PathOf(record) + ending);
    std::filesystem::create_hard_link(PathOf(record) + ending, draft);
    for (int start = 1; start <= 2; ++start) {
      const auto content = MustOpen().Load();
      ASSERT_TRUE(content.ok()) << content.status();
      EXPECT_EQ(content->private_keys.size(), 1u);
    }
    EXPECT_FALSE(std::filesystem::exists(draft));
  }
}

TEST_F(KeyStoreTest, ACrashAfterTheListAndBeforeTheFileHasItsNameLosesNothing) {
  KeyRecord record;
  {
    KeyStore store = MustOpen();
    record = Make(store);
    ASSERT_TRUE(store.Save(1, {record}).ok());
  }
  std::filesystem::rename(PathOf(record), PathOf(record) + ".new");
  for (int start = 1; start <= 2; ++start) {
    const auto content = MustOpen().Load();
    ASSERT_TRUE(content.ok()) << content.status();
    EXPECT_EQ(content->private_keys.size(), 1u);
    EXPECT_TRUE(std::filesystem::exists(PathOf(record)));
  }
}

// A list that begins anew would have the shuffler destroy what is sealed to the old keys.
TEST_F(KeyStoreTest, APrivateKeyThatTheDatabaseDoesNotKnowStopsTheStart) {
  KeyRecord record;
  {
    KeyStore store = MustOpen();
    record = Make(store);
    ASSERT_TRUE(store.Save(1, {record}).ok());
  }
  std::filesystem::remove(directory_.In("keys/keys.db"));
  std::filesystem::remove(directory_.In("keys/keys.db.mark"));
  absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(PathOf(record)));
  EXPECT_FALSE(std::filesystem::exists(directory_.In("keys/keys.db")));
  // One more than a database knows is refused as well, and nothing is destroyed.
  const std::string away = directory_.In("away");
  std::filesystem::rename(PathOf(record), away);
  MustOpen();
  std::filesystem::rename(away, PathOf(record));
  status = MustOpen().Load().status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("keys.db does not know"));
  EXPECT_TRUE(std::filesystem::exists(PathOf(record)));
}

TEST_F(KeyStoreTest, ACrashAfterTheListAndBeforeTheFileIsGoneIsMadeGoodAtTheNextStart) {
  KeyStore store = MustOpen();
  KeyRecord record = Make(store);
  ASSERT_TRUE(store.Save(1, {record}).ok());
  record.destroyed = TestTaskStart() + absl::Hours(9);
  ASSERT_TRUE(store.Save(2, {record}).ok());
  ASSERT_TRUE(std::filesystem::exists(PathOf(record)));
  const auto content = MustOpen().Load();
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_FALSE(std::filesystem::exists(PathOf(record)));
  EXPECT_EQ(content->records[0].destroyed, record.destroyed);
  EXPECT_TRUE(content->private_keys.empty());
  EXPECT_TRUE(MustOpen().Load().ok()) << "and once more, with the file gone";
}

TEST_F(KeyStoreTest, ADamagedRowIsDataLossAndDestroysNothing) {
  KeyRecord record;
  {
    KeyStore store = MustOpen();
    record = Make(store);
    ASSERT_TRUE(store.Save(1, {record}).ok());
  }
  const std::string copy = directory_.In("copy");
  std::filesystem::copy_file(directory_.In("keys/keys.db"), copy);
  for (const char* damage : {"UPDATE keys SET destroyed = 5", "UPDATE keys SET closes = closes + 1",
                             "UPDATE keys SET task = zeroblob(32)", "UPDATE keys SET part = 1",
                             "UPDATE keys SET id = x'00'", "DELETE FROM keys",
                             "UPDATE list SET serial = 7", "DELETE FROM list"}) {
    std::filesystem::copy_file(copy, directory_.In("keys/keys.db"),
                               std::filesystem::copy_options::overwrite_existing);
    ExecuteBehindItsBack(directory_.In("keys/keys.db"), damage);
    EXPECT_TRUE(absl::IsDataLoss(MustOpen().Load().status())) << damage;
    EXPECT_TRUE(std::filesystem::exists(PathOf(record))) << damage;
  }
}

TEST_F(KeyStoreTest, TheDirectoryIsPrivateAndOneThatOthersMayWriteIsRefused) {
  MustOpen();
  struct stat info {};
  ASSERT_EQ(stat(directory_.In("keys").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  ASSERT_EQ(chmod(directory_.In("keys").c_str(), 0770), 0);
  const absl::Status status = Open().status();
  EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("chmod go-w"));
}

}  // namespace
}  // namespace tombola::collector
