#include "collector/catalog/key_ring.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/crypto/key_id.h"

namespace tombola::collector {
namespace {

// The serial of the list is the number of changes so far.
constexpr char kSchema[] = R"(
  CREATE TABLE keys(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
    not_before INTEGER NOT NULL, not_after INTEGER NOT NULL);
)";

}  // namespace

absl::StatusOr<std::unique_ptr<KeyRing>> KeyRing::Open(const Options& options,
                                                       RandomSource& random) {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.directory));
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(absl::StrCat(options.directory, "/keys.db"),
                                          {.version = 1, .schema = kSchema}));
  std::unique_ptr<KeyRing> ring(new KeyRing(options, std::move(database)));
  TOMBOLA_RETURN_IF_ERROR(ring->Load());
  bool active;
  {
    MutexLock lock(ring->mutex_);
    active = !ring->keys_.empty() && options.clock->Now() < ring->keys_.back().not_after;
  }
  if (!active) TOMBOLA_RETURN_IF_ERROR(ring->Rotate(random));
  return ring;
}

std::string KeyRing::KeyPath(const KeyId& id) const {
  return absl::StrCat(options_.directory, "/", ToHex(id), ".key");
}

absl::Status KeyRing::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows,
      database_.Prepare("SELECT id, not_before, not_after, position FROM keys ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return absl::OkStatus();
    const auto id = IdFromBytes<KeyId>(rows.Blob(0));
    if (!id.has_value()) return absl::DataLossError("keys.db is damaged");
    TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes secret,
                             crypto::ReadSecretFile(KeyPath(*id)));
    TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey key, crypto::HpkePrivateKey::FromBytes(secret));
    HpkeKey entry{.id = *id,
                  .public_key = {},
                  .not_before = absl::FromUnixSeconds(rows.Integer(1)),
                  .not_after = absl::FromUnixSeconds(rows.Integer(2))};
    const auto public_key = key.public_key();
    std::copy(public_key.begin(), public_key.end(), entry.public_key.begin());
    if (crypto::HpkeKeyId(entry.public_key) != *id) {
      return absl::DataLossError(absl::StrCat(KeyPath(*id), " holds another key than its name"));
    }
    keys_.push_back(entry);
    private_keys_.emplace(*id, std::make_shared<const crypto::HpkePrivateKey>(std::move(key)));
    serial_ = static_cast<uint64_t>(rows.Integer(3));
  }
}

absl::Status KeyRing::Rotate(RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(crypto::HpkePrivateKey key, crypto::HpkePrivateKey::Generate(random));
  const int64_t now = absl::ToUnixSeconds(options_.clock->Now());
  HpkeKey entry{.id = {},
                .public_key = {},
                .not_before = absl::FromUnixSeconds(now),
                .not_after = absl::FromUnixSeconds(now) + options_.lifetime};
  const auto public_key = key.public_key();
  std::copy(public_key.begin(), public_key.end(), entry.public_key.begin());
  entry.id = crypto::HpkeKeyId(entry.public_key);

  MutexLock lock(mutex_);
  const bool replaces = !keys_.empty() && keys_.back().not_after > entry.not_before;
  if (replaces && keys_.back().not_before >= entry.not_before) {
    return absl::FailedPreconditionError("the present key is younger than a second: try again");
  }
  // The private key is on disk before the list names it: a crash leaves a file that nothing uses.
  TOMBOLA_RETURN_IF_ERROR(
      crypto::WriteSecretFile(KeyPath(entry.id), key.private_key(), crypto::ExistingFile::kRefuse));
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  if (replaces) {
    TOMBOLA_ASSIGN_OR_RETURN(Statement end,
                             database_.Prepare("UPDATE keys SET not_after = ? WHERE id = ?"));
    end.Bind(0, now);
    end.BindBlob(1, AsView(keys_.back().id));
    TOMBOLA_RETURN_IF_ERROR(Database::Run(end));
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement insert, database_.Prepare("INSERT INTO keys(position, id, not_before, not_after) "
                                          "VALUES (?, ?, ?, ?)"));
  insert.Bind(0, static_cast<int64_t>(serial_ + 1));
  insert.BindBlob(1, AsView(entry.id));
  insert.Bind(2, now);
  insert.Bind(3, absl::ToUnixSeconds(entry.not_after));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  if (replaces) keys_.back().not_after = entry.not_before;
  ++serial_;
  private_keys_.emplace(entry.id, std::make_shared<const crypto::HpkePrivateKey>(std::move(key)));
  keys_.push_back(entry);
  return absl::OkStatus();
}

v1::KeyList KeyRing::List() const {
  MutexLock lock(mutex_);
  v1::KeyList list;
  list.set_serial(serial_);
  for (const HpkeKey& key : keys_) {
    v1::HpkeKey* wire = list.add_keys();
    wire->set_key_id(std::string(AsView(key.id)));
    wire->set_public_key(std::string(AsView(key.public_key)));
    wire->set_not_before(absl::ToUnixSeconds(key.not_before));
    wire->set_not_after(absl::ToUnixSeconds(key.not_after));
  }
  return list;
}

v1::SignedKeyList KeyRing::SignedList() const {
  v1::SignedKeyList list;
  list.set_key_list(List().SerializeAsString());
  list.set_signature(options_.signing_key->Sign(absl::StrCat(kKeyListContext, list.key_list())));
  return list;
}

absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> KeyRing::PrivateKey(
    const KeyId& id) const {
  MutexLock lock(mutex_);
  const auto it = private_keys_.find(id);
  if (it == private_keys_.end()) {
    return absl::NotFoundError("key_id names no key of this collector");
  }
  return it->second;
}

}  // namespace tombola::collector
