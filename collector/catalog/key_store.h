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
// with the times of all keys there ever were and the serial of the list. What a crash leaves half
// done:
//   made       the file is written before the database names it: a file that is not named is unused
//   destroyed  the database says so before the file goes: Open removes it then
// Not thread-safe.
class KeyStore {
 public:
  struct Content {
    uint64_t serial = 0;
    std::vector<KeyRecord> records;  // in the order in which they were made
    std::vector<std::pair<KeyId, crypto::HpkePrivateKey>> private_keys;  // of those not destroyed
  };

  // Made if it is missing, with mode 0700. PermissionDenied, with the remedy: others could read a
  // key or exchange one. DataLoss: damaged. FailedPrecondition: of another format version.
  static absl::StatusOr<KeyStore> Open(const std::string& directory);

  // NotFound: the file of a key is missing. DataLoss: damaged, or a file holds another key than its
  // name says.
  absl::StatusOr<Content> Load();

  // Before Save names it. AlreadyExists: there is one of this id.
  absl::Status WritePrivateKey(const KeyId& id, const crypto::SecretBytes& secret) const;
  // These records, new or changed, and the serial, all or nothing.
  absl::Status Save(uint64_t serial, const std::vector<KeyRecord>& records);
  // After Save has said that it is destroyed. Again is no error.
  absl::Status DestroyPrivateKey(const KeyId& id) const;

 private:
  KeyStore(std::string directory, Database database)
      : directory_(std::move(directory)), database_(std::move(database)) {}

  absl::StatusOr<crypto::HpkePrivateKey> ReadPrivateKey(HpkeKey* key) const;
  std::string PathOf(const KeyId& id) const;

  std::string directory_;
  Database database_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_STORE_H_
