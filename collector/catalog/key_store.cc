#include "collector/catalog/key_store.h"

#include <sys/stat.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "collector/database/row_digest.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/crypto/key_id.h"

namespace tombola::collector {
namespace {

// Times are Unix seconds; destroyed is 0 for a key that is there. checksum: RowDigest of the
// columns before it. docs/collector-format.md describes the file.
constexpr char kSchema[] = R"(
  CREATE TABLE keys(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
    not_before INTEGER NOT NULL, not_after INTEGER NOT NULL, closes INTEGER NOT NULL,
    destroyed INTEGER NOT NULL, checksum BLOB NOT NULL);
  CREATE TABLE list(only INTEGER PRIMARY KEY CHECK (only = 0), serial INTEGER NOT NULL,
                    keys INTEGER NOT NULL);
  INSERT INTO list VALUES (0, 0, 0);
)";

absl::Status Damaged() { return absl::DataLossError("keys.db is damaged"); }

int64_t DestroyedSeconds(const KeyRecord& record) {
  return record.destroyed.has_value() ? absl::ToUnixSeconds(*record.destroyed) : 0;
}

crypto::Sha256Digest Checksum(const KeyRecord& record) {
  return RowDigest({AsView(record.key.id), absl::ToUnixSeconds(record.key.not_before),
                    absl::ToUnixSeconds(record.key.not_after),
                    absl::ToUnixSeconds(record.key.closes), DestroyedSeconds(record)});
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
  TOMBOLA_ASSIGN_OR_RETURN(Database database, Database::Open(absl::StrCat(directory, "/keys.db"),
                                                             {.version = 1, .schema = kSchema}));
  return KeyStore(directory, std::move(database));
}

std::string KeyStore::PathOf(const KeyId& id) const {
  return absl::StrCat(directory_, "/", ToHex(id), ".key");
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
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows,
                           database_.Prepare("SELECT id, not_before, not_after, closes, destroyed, "
                                             "checksum FROM keys ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) break;
    const auto id = IdFromBytes<KeyId>(rows.Blob(0));
    if (!id.has_value()) return Damaged();
    KeyRecord record;
    record.key.id = *id;
    record.key.not_before = absl::FromUnixSeconds(rows.Integer(1));
    record.key.not_after = absl::FromUnixSeconds(rows.Integer(2));
    record.key.closes = absl::FromUnixSeconds(rows.Integer(3));
    if (rows.Integer(4) != 0) record.destroyed = absl::FromUnixSeconds(rows.Integer(4));
    if (rows.Blob(5) != AsView(Checksum(record))) return Damaged();
    content.records.push_back(record);
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement list, database_.Prepare("SELECT serial, keys FROM list"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, list.Step());
  if (!found || list.Integer(1) != static_cast<int64_t>(content.records.size())) return Damaged();
  content.serial = static_cast<uint64_t>(list.Integer(0));
  // Nothing is destroyed before all of it has been found right.
  for (KeyRecord& record : content.records) {
    if (record.destroyed.has_value()) {
      TOMBOLA_RETURN_IF_ERROR(DestroyPrivateKey(record.key.id));  // a crash may have left it
    } else {
      TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey private_key, ReadPrivateKey(&record.key));
      content.private_keys.emplace_back(record.key.id, std::move(private_key));
    }
  }
  return content;
}

absl::Status KeyStore::WritePrivateKey(const KeyId& id, const crypto::SecretBytes& secret) const {
  return crypto::WriteSecretFile(PathOf(id), secret, crypto::ExistingFile::kRefuse);
}

absl::Status KeyStore::Save(uint64_t serial, const std::vector<KeyRecord>& records) {
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  for (const KeyRecord& record : records) {
    TOMBOLA_ASSIGN_OR_RETURN(
        Statement save,
        database_.Prepare(
            "INSERT INTO keys(id, not_before, not_after, closes, destroyed, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET not_before = excluded.not_before, "
            "not_after = excluded.not_after, closes = excluded.closes, "
            "destroyed = excluded.destroyed, checksum = excluded.checksum"));
    save.BindBlob(0, AsView(record.key.id));
    save.Bind(1, absl::ToUnixSeconds(record.key.not_before));
    save.Bind(2, absl::ToUnixSeconds(record.key.not_after));
    save.Bind(3, absl::ToUnixSeconds(record.key.closes));
    save.Bind(4, DestroyedSeconds(record));
    save.BindBlob(5, AsView(Checksum(record)));
    TOMBOLA_RETURN_IF_ERROR(Database::Run(save));
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement number,
                           database_.Prepare("UPDATE list SET serial = ?, "
                                             "keys = (SELECT COUNT(*) FROM keys)"));
  number.Bind(0, static_cast<int64_t>(serial));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(number));
  return transaction.Commit();
}

absl::Status KeyStore::DestroyPrivateKey(const KeyId& id) const {
  return crypto::DestroySecretFile(PathOf(id));
}

}  // namespace tombola::collector
