// The collector's HPKE keys.
#ifndef TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_
#define TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/database/database.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/hpke_open.h"
#include "common/random/random_source.h"
#include "common/task/key_list.h"
#include "tombola/v1/report.pb.h"

namespace tombola::collector {

// Key pairs on disk: the private ones in files of their own that only their owner may read, the
// list in a database. At any moment one key is valid for sealing; those it replaced still open.
// Thread-safe.
class KeyRing {
 public:
  struct Options {
    std::string directory;
    const crypto::SigningKey* signing_key =
        nullptr;                   // the collector's long-term key; outlives this
    const Clock* clock = nullptr;  // outlives this
    absl::Duration lifetime = absl::Hours(24 * 365);  // of a key that is not rotated before
  };

  // Makes a first key where there is none, and a new one where the last has run out.
  static absl::StatusOr<std::unique_ptr<KeyRing>> Open(const Options& options,
                                                       RandomSource& random);

  // A new key takes over now. FailedPrecondition: the present one is younger than a second.
  absl::Status Rotate(RandomSource& random);

  // The list as devices get it.
  v1::SignedKeyList SignedList() const;
  v1::KeyList List() const;
  // NotFound: no such key.
  absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> PrivateKey(const KeyId& id) const;

 private:
  KeyRing(Options options, Database database)
      : options_(std::move(options)), database_(std::move(database)) {}

  absl::Status Load();
  std::string KeyPath(const KeyId& id) const;

  const Options options_;
  mutable Mutex mutex_;
  Database database_ ABSL_GUARDED_BY(mutex_);
  uint64_t serial_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<HpkeKey> keys_ ABSL_GUARDED_BY(mutex_);  // oldest first
  absl::flat_hash_map<KeyId, std::shared_ptr<const crypto::HpkePrivateKey>> private_keys_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_
