// The collector's HPKE keys on disk.
#ifndef TOMBOLA_COLLECTOR_CATALOG_KEY_STORE_H_
#define TOMBOLA_COLLECTOR_CATALOG_KEY_STORE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/catalog/key_record.h"
#include "collector/database/database.h"
#include "common/base/ids.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/secret_bytes.h"

namespace tombola::collector {

// A directory with one file a private key, `<id>.key`, that only its owner may read, and `keys.db`
// with the times of all keys that were not forgotten and the serial of the list. What a crash
// leaves half done:
//   made       the file is written as `<id>.key.new` before the database names it: Load takes it
//   over
//              if the database does, and destroys it if not, because then no list ever had it
//   destroyed  the database says so before the file goes: Load removes it then
// A `.key` file that the database does not name is never left by a crash: the database is not the
// one that belongs to it, and a list that began anew would have the shuffler destroy what it holds.
// Not thread-safe.
class KeyStore {
 public:
  struct Content {
    uint64_t serial = 0;
    std::vector<KeyRecord> records;  // in the order in which they were made
    std::vector<std::pair<KeyId, crypto::HpkePrivateKey>> private_keys;  // of those not destroyed
  };

  // Made if it is missing, with mode 0700. PermissionDenied, with the remedy: others could read a
  // key or exchange one. DataLoss: damaged, or there are private keys and no database.
  // FailedPrecondition: of another format version.
  static absl::StatusOr<KeyStore> Open(const std::string& directory);

  // Copies a store, which a process may be using, to a directory that there is not: its database as
  // it is at one moment, and the private keys that are not destroyed then.
  static absl::Status Copy(const std::string& from, const std::string& to);
  // Destroys the private keys of a copy, and removes it.
  static absl::Status RemoveCopy(const std::string& directory);

  // NotFound: the file of a key is missing. DataLoss: damaged, a file holds another key than its
  // name says, or one that the database does not know.
  absl::StatusOr<Content> Load();

  // Before Save names it. AlreadyExists: there is one of this id.
  absl::Status WritePrivateKey(const KeyId& id, const crypto::SecretBytes& secret) const;
  // These records, new or changed, and the serial, all or nothing; `forgotten` are destroyed keys
  // of which nothing is known any more.
  absl::Status Save(uint64_t serial, const std::vector<KeyRecord>& records,
                    const std::vector<KeyId>& forgotten = {});
  // After Save has said that it is destroyed. Again is no error.
  absl::Status DestroyPrivateKey(const KeyId& id) const;
  // As Database::state.
  const absl::Status& State() const { return database_.state(); }

 private:
  KeyStore(std::string directory, Database database)
      : directory_(std::move(directory)), database_(std::move(database)) {}

  static absl::Status CopyOnce(const std::string& from, const std::string& to);
  absl::StatusOr<crypto::HpkePrivateKey> ReadPrivateKey(HpkeKey* key) const;
  // The names of files that a crash left and nothing uses. DataLoss: a key that is not known.
  absl::StatusOr<std::vector<std::string>> CheckFiles(const std::vector<KeyRecord>& records) const;
  // The key's file gets its name, if it has not got it yet.
  absl::Status TakeOver(const KeyId& id) const;
  absl::Status SaveRecord(const KeyRecord& record, Transaction& transaction);
  absl::Status Forget(const KeyId& id, Transaction& transaction);
  absl::Status SaveSerial(int64_t serial, Transaction& transaction);
  std::string PathOf(const KeyId& id) const;
  std::string NewPathOf(const KeyId& id) const;

  std::string directory_;
  Database database_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_STORE_H_
