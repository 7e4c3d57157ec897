#include "collector/catalog/key_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "collector/database/database.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/key_file.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"

namespace tombola::collector {
namespace {

// Times are Unix seconds; destroyed is 0 for a key that is there. task and part: of a node's key,
// else empty and 0. checksum: RowDigest of the other
// columns but position. docs/collector-format.md describes the file.
constexpr char kKeysSchema[] = R"(
  CREATE TABLE keys(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
    not_before INTEGER NOT NULL, not_after INTEGER NOT NULL, closes INTEGER NOT NULL,
    destroyed INTEGER NOT NULL, task BLOB NOT NULL, part INTEGER NOT NULL, checksum BLOB NOT NULL);
  CREATE TABLE list(only INTEGER PRIMARY KEY CHECK (only = 0), serial INTEGER NOT NULL,
                    checksum BLOB NOT NULL);
)";
constexpr int kKeysVersion = 3;

constexpr absl::string_view kKeySuffix = ".key";
// Of a key that the database does not name yet.
constexpr absl::string_view kNewSuffix = ".key.new";

absl::Status KeysDamaged() { return absl::DataLossError("keys.db is damaged"); }

int64_t DestroyedSeconds(const KeyRecord& record) {
  return record.destroyed.has_value() ? absl::ToUnixSeconds(*record.destroyed) : 0;
}

absl::string_view TaskOf(const KeyRecord& record) {
  return record.key.task.has_value() ? AsView(*record.key.task) : absl::string_view();
}

crypto::Sha256Digest Checksum(const KeyRecord& record) {
  return RowDigest({AsView(record.key.id), absl::ToUnixSeconds(record.key.not_before),
                    absl::ToUnixSeconds(record.key.not_after),
                    absl::ToUnixSeconds(record.key.closes), DestroyedSeconds(record),
                    TaskOf(record), static_cast<int64_t>(record.key.part)});
}

crypto::Sha256Digest ListChecksum(int64_t serial) { return RowDigest({serial}); }

// Whether this class gave a file its name: <key>.key, <key>.key.new, or a draft of either
// (crypto::WriteSecretFile). Whatever else lies in the directory, copies that people made included,
// is nobody's business here.
bool IsKeyFile(absl::string_view name) {
  constexpr size_t kHexDigits = 2 * sizeof(KeyId);
  const absl::string_view id = name.substr(0, kHexDigits);
  if (id.size() < kHexDigits || !std::all_of(id.begin(), id.end(), absl::ascii_isxdigit)) {
    return false;
  }
  absl::string_view rest = name.substr(kHexDigits);
  if (!absl::ConsumePrefix(&rest, kNewSuffix) && !absl::ConsumePrefix(&rest, kKeySuffix)) {
    return false;
  }
  return rest.empty() || (absl::ConsumePrefix(&rest, ".draft.") && rest.size() == 6);
}

// The names in the directory that are of private keys, whether the key is new or not.
absl::StatusOr<std::vector<std::string>> KeyFiles(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (IsKeyFile(name)) names.push_back(name);
  }
  if (error) {
    return absl::UnavailableError(absl::StrCat("cannot read ", directory, ": ", error.message()));
  }
  return names;
}

// A crash may leave a draft as a second name of the very file that is the key's: that stays.
absl::Status DestroyUnfinished(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return DiskError("look at", path);
  if (info.st_nlink == 1) return crypto::DestroySecretFile(path);
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
  return SyncDirectoryOf(path);
}

absl::Status NotNamed(const std::string& directory, absl::string_view name) {
  return absl::DataLossError(absl::StrCat(
      directory, "/", name, " is a private key that ", directory,
      "/keys.db does not know, so that the database is not the one that belongs to it: put back "
      "keys.db, keys.db-wal and keys.db.mark as they were, or restore a backup "
      "(docs/operate.md); if the key is really not this collector's, move it to another "
      "directory"));
}

}  // namespace

absl::StatusOr<KeyStore> KeyStore::Open(const std::string& directory) {
  struct stat info {};
  const bool fresh = stat(directory.c_str(), &info) != 0;
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  if (fresh && chmod(directory.c_str(), S_IRWXU) != 0) {
    return absl::UnavailableError(absl::StrCat("cannot restrict ", directory));
  }
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckSecretDirectory(directory));
  const std::string path = absl::StrCat(directory, "/keys.db");
  if (!std::filesystem::exists(path)) {
    // Before a list that begins anew takes the place of the one that is gone.
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, KeyFiles(directory));
    for (const std::string& name : names) {
      if (absl::EndsWith(name, kKeySuffix)) return NotNamed(directory, name);
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(path, {.version = kKeysVersion, .schema = kKeysSchema}));
  return KeyStore(directory, std::move(database));
}

absl::Status KeyStore::CopyOnce(const std::string& from, const std::string& to) {
  const std::string path = absl::StrCat(to, "/keys.db");
  TOMBOLA_RETURN_IF_ERROR(Database::Copy(absl::StrCat(from, "/keys.db"), path));
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(path, {.version = kKeysVersion, .schema = kKeysSchema}));
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows,
                           database.Prepare("SELECT id FROM keys WHERE destroyed = 0"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return absl::OkStatus();
    const auto id = IdFromBytes<KeyId>(rows.Blob(0));
    if (!id.has_value()) return KeysDamaged();
    absl::StatusOr<crypto::SecretBytes> secret =
        crypto::ReadSecretFile(absl::StrCat(from, "/", ToHex(*id), kKeySuffix));
    if (absl::IsNotFound(secret.status())) {
      secret = crypto::ReadSecretFile(absl::StrCat(from, "/", ToHex(*id), kNewSuffix));
    }
    TOMBOLA_RETURN_IF_ERROR(secret.status());
    TOMBOLA_RETURN_IF_ERROR(crypto::WriteSecretFile(absl::StrCat(to, "/", ToHex(*id), kKeySuffix),
                                                    *secret, crypto::ExistingFile::kReplace));
  }
}

absl::Status KeyStore::Copy(const std::string& from, const std::string& to) {
  constexpr int kAttempts = 10;
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (mkdir(to.c_str(), S_IRWXU) != 0) return DiskError("make", to);
    status = CopyOnce(from, to);
    if (!absl::IsNotFound(status)) return status;
    // A key was destroyed, or got its name, after the database was copied: once more.
    TOMBOLA_RETURN_IF_ERROR(RemoveCopy(to));
  }
  return status;
}

absl::Status KeyStore::RemoveCopy(const std::string& directory) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, KeyFiles(directory));
  for (const std::string& name : names) {
    TOMBOLA_RETURN_IF_ERROR(crypto::DestroySecretFile(absl::StrCat(directory, "/", name)));
  }
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot remove ", directory, ": ", error.message()));
}

std::string KeyStore::PathOf(const KeyId& id) const {
  return absl::StrCat(directory_, "/", ToHex(id), kKeySuffix);
}

std::string KeyStore::NewPathOf(const KeyId& id) const {
  return absl::StrCat(directory_, "/", ToHex(id), kNewSuffix);
}

absl::Status KeyStore::TakeOver(const KeyId& id) const {
  const absl::Status renamed = Rename(NewPathOf(id), PathOf(id));
  if (absl::IsNotFound(renamed)) return absl::OkStatus();  // it was before, or is missing
  TOMBOLA_RETURN_IF_ERROR(renamed);
  return SyncDirectoryOf(PathOf(id));
}

absl::StatusOr<crypto::HpkePrivateKey> KeyStore::ReadPrivateKey(HpkeKey* key) const {
  const std::string path = PathOf(key->id);
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes secret, crypto::ReadSecretFile(path));
  TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey private_key,
                           crypto::HpkePrivateKey::FromBytes(secret));
  const auto public_key = private_key.public_key();
  std::copy(public_key.begin(), public_key.end(), key->public_key.begin());
  if (crypto::HpkeKeyId(key->public_key) != key->id) {
    return absl::DataLossError(absl::StrCat(path, " holds another key than its name"));
  }
  return private_key;
}

absl::StatusOr<KeyStore::Content> KeyStore::Load() {
  Content content;
  Rows found;
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows,
                           database_.Prepare("SELECT id, not_before, not_after, closes, destroyed, "
                                             "task, part, checksum FROM keys ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) break;
    const auto id = IdFromBytes<KeyId>(rows.Blob(0));
    if (!id.has_value()) return KeysDamaged();
    KeyRecord record;
    record.key.id = *id;
    record.key.not_before = absl::FromUnixSeconds(rows.Integer(1));
    record.key.not_after = absl::FromUnixSeconds(rows.Integer(2));
    record.key.closes = absl::FromUnixSeconds(rows.Integer(3));
    if (rows.Integer(4) != 0) record.destroyed = absl::FromUnixSeconds(rows.Integer(4));
    record.key.task = IdFromBytes<TaskId>(rows.Blob(5));
    record.key.part = static_cast<uint64_t>(rows.Integer(6));
    const crypto::Sha256Digest checksum = Checksum(record);
    if (rows.Blob(7) != AsView(checksum)) return KeysDamaged();
    found.Add(checksum);
    content.records.push_back(record);
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement list, database_.Prepare("SELECT serial FROM list"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool changed, list.Step());
  if (changed) {
    content.serial = static_cast<uint64_t>(list.Integer(0));
    found.Add(ListChecksum(list.Integer(0)));
  }
  TOMBOLA_RETURN_IF_ERROR(database_.CheckRows(found));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> unfinished, CheckFiles(content.records));
  // Nothing is destroyed before all of it has been found right.
  for (KeyRecord& record : content.records) {
    if (record.destroyed.has_value()) {
      TOMBOLA_RETURN_IF_ERROR(DestroyPrivateKey(record.key.id));  // a crash may have left it
    } else {
      TOMBOLA_RETURN_IF_ERROR(TakeOver(record.key.id));
      TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey private_key, ReadPrivateKey(&record.key));
      content.private_keys.emplace_back(record.key.id, std::move(private_key));
    }
  }
  for (const std::string& name : unfinished) {
    TOMBOLA_RETURN_IF_ERROR(DestroyUnfinished(absl::StrCat(directory_, "/", name)));
  }
  return content;
}

absl::StatusOr<std::vector<std::string>> KeyStore::CheckFiles(
    const std::vector<KeyRecord>& records) const {
  absl::flat_hash_set<std::string> known;
  for (const KeyRecord& record : records) known.insert(ToHex(record.key.id));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, KeyFiles(directory_));
  std::vector<std::string> unfinished;
  for (const std::string& name : names) {
    const bool named = known.contains(name.substr(0, name.find('.')));
    if (!named && absl::EndsWith(name, kKeySuffix)) return NotNamed(directory_, name);
    // Drafts of the file, and keys that no list ever had.
    const bool draft = !absl::EndsWith(name, kKeySuffix) && !absl::EndsWith(name, kNewSuffix);
    if (draft || (!named && absl::EndsWith(name, kNewSuffix))) unfinished.push_back(name);
  }
  return unfinished;
}

absl::Status KeyStore::WritePrivateKey(const KeyId& id, const crypto::SecretBytes& secret) const {
  return crypto::WriteSecretFile(NewPathOf(id), secret, crypto::ExistingFile::kRefuse);
}

absl::Status KeyStore::SaveRecord(const KeyRecord& record, Transaction& transaction) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement before,
                           database_.Prepare("SELECT checksum FROM keys WHERE id = ?"));
  before.BindBlob(0, AsView(record.key.id));
  TOMBOLA_ASSIGN_OR_RETURN(const bool known, before.Step());
  if (known) {
    const auto checksum = IdFromBytes<crypto::Sha256Digest>(before.Blob(0));
    if (!checksum.has_value()) return KeysDamaged();
    transaction.rows().Remove(*checksum);
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement save,
      database_.Prepare("INSERT INTO keys(id, not_before, not_after, closes, destroyed, task, "
                        "part, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
                        "ON CONFLICT(id) DO UPDATE SET not_before = excluded.not_before, "
                        "not_after = excluded.not_after, closes = excluded.closes, "
                        "destroyed = excluded.destroyed, checksum = excluded.checksum"));
  const crypto::Sha256Digest checksum = Checksum(record);
  save.BindBlob(0, AsView(record.key.id));
  save.Bind(1, absl::ToUnixSeconds(record.key.not_before));
  save.Bind(2, absl::ToUnixSeconds(record.key.not_after));
  save.Bind(3, absl::ToUnixSeconds(record.key.closes));
  save.Bind(4, DestroyedSeconds(record));
  save.BindBlob(5, TaskOf(record));
  save.Bind(6, static_cast<int64_t>(record.key.part));
  save.BindBlob(7, AsView(checksum));
  transaction.rows().Add(checksum);
  return Database::Run(save);
}

absl::Status KeyStore::SaveSerial(int64_t serial, Transaction& transaction) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement before, database_.Prepare("SELECT serial FROM list"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool known, before.Step());
  if (known) transaction.rows().Remove(ListChecksum(before.Integer(0)));
  TOMBOLA_ASSIGN_OR_RETURN(Statement list,
                           database_.Prepare("INSERT OR REPLACE INTO list VALUES (0, ?, ?)"));
  const crypto::Sha256Digest checksum = ListChecksum(serial);
  list.Bind(0, serial);
  list.BindBlob(1, AsView(checksum));
  transaction.rows().Add(checksum);
  return Database::Run(list);
}

absl::Status KeyStore::Forget(const KeyId& id, Transaction& transaction) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement before,
                           database_.Prepare("SELECT checksum FROM keys WHERE id = ?"));
  before.BindBlob(0, AsView(id));
  TOMBOLA_ASSIGN_OR_RETURN(const bool known, before.Step());
  if (!known) return absl::OkStatus();
  const auto checksum = IdFromBytes<crypto::Sha256Digest>(before.Blob(0));
  if (!checksum.has_value()) return KeysDamaged();
  transaction.rows().Remove(*checksum);
  TOMBOLA_ASSIGN_OR_RETURN(Statement forget, database_.Prepare("DELETE FROM keys WHERE id = ?"));
  forget.BindBlob(0, AsView(id));
  return Database::Run(forget);
}

absl::Status KeyStore::Save(uint64_t serial, const std::vector<KeyRecord>& records,
                            const std::vector<KeyId>& forgotten) {
  {
    TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
    for (const KeyRecord& record : records) {
      TOMBOLA_RETURN_IF_ERROR(SaveRecord(record, transaction));
    }
    for (const KeyId& id : forgotten) TOMBOLA_RETURN_IF_ERROR(Forget(id, transaction));
    TOMBOLA_RETURN_IF_ERROR(SaveSerial(static_cast<int64_t>(serial), transaction));
    TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  }
  for (const KeyRecord& record : records) {
    // What fails here is done by the next Load.
    if (!record.destroyed.has_value()) (void)TakeOver(record.key.id);
  }
  return absl::OkStatus();
}

absl::Status KeyStore::DestroyPrivateKey(const KeyId& id) const {
  TOMBOLA_RETURN_IF_ERROR(crypto::DestroySecretFile(NewPathOf(id)));
  return crypto::DestroySecretFile(PathOf(id));
}

}  // namespace tombola::collector
