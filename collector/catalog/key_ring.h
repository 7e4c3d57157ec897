// The collector's HPKE keys, through their lives.
#ifndef TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_
#define TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_record.h"
#include "collector/catalog/key_store.h"
#include "collector/catalog/key_times.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/hpke_open.h"
#include "common/random/random_source.h"
#include "tombola/v1/collector.pb.h"
#include "tombola/v1/report.pb.h"

namespace tombola::collector {

//   pending --not_before--> active --not_after--> retired --closes + delivery--> destroyed
//
// The next key begins when the present one ends, so that exactly one is active at any moment as
// long as Tend is called now and then. Every change is on disk before anybody sees it. Thread-safe.
//
// Besides these general keys every node of an open stream has one of its own, through the same
// states, at its own times (NodeLife). It is not rotated: it ends when its task is closed.
class KeyRing {
 public:
  struct Options {
    std::string directory;
    const crypto::SigningKey* signing_key =
        nullptr;                   // the collector's long-term key; outlives this
    const Clock* clock = nullptr;  // outlives this
    KeyTimes times = {};
    // How old the list may get before it is signed anew. Asked by Tend, without locks.
    std::function<absl::Duration()> renewal = [] { return absl::Hours(24); };
    // All tasks there are. Asked by Tend and CheckRoom, not under the lock that readers wait for.
    std::function<std::vector<CatalogEntry>()> tasks = [] { return std::vector<CatalogEntry>(); };
  };

  // Tended, unless the clock is in doubt: there is an active key, and the list is signed anew.
  // Fails like KeyStore::Open.
  static absl::StatusOr<std::unique_ptr<KeyRing>> Open(const Options& options,
                                                       RandomSource& random);

  // Does what the clock demands: announces the next key, destroys those that are due, sees that one
  // is active, and signs a list anew that is old or from before the start. Of streams it makes the
  // keys of nodes that are open or soon will be, at most 64 a call, and ends those of closed tasks.
  // True if the list has changed. What failed is done at the next call. Unavailable: the clock is
  // in doubt, and nothing was done. FailedPrecondition: there are too many keys for another one.
  absl::StatusOr<bool> Tend(RandomSource& random);

  // FailedPrecondition: a stream that would have more keys at once than there is room for. OK for
  // every other task.
  absl::Status CheckRoom(const Task& task) const;

  // The next key, which may be announced already, takes over at this moment, or now.
  // InvalidArgument: it is in the past, or after the present key's own end. FailedPrecondition: the
  // present key would live shorter than a second, or there are too many keys. Unavailable: the
  // clock is in doubt.
  absl::Status Rotate(std::optional<absl::Time> at, RandomSource& random);

  // The private key is gone when this returns OK. NotFound: no such key. FailedPrecondition: it is
  // the active one, or of a node that is open. One that is destroyed already is no error.
  absl::Status Destroy(const KeyId& id);

  const KeyTimes& times() const { return options_.times; }
  // Grows with every list that is signed, also over restarts.
  uint64_t serial() const;
  // The list as devices get it: all keys but those that are destroyed. Unavailable: in doubt of the
  // clock none has been signed since the start.
  absl::StatusOr<v1::SignedKeyList> SignedList() const;
  v1::KeyList List() const;
  // The list, and every key there ever was with its state, but for those of nodes that were
  // destroyed long ago (kNodeKeysKnown).
  v1::KeyInfo Describe() const;
  // NotFound: there never was such a key. FailedPrecondition: it is destroyed.
  absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> PrivateKey(const KeyId& id) const;
  // The same for a batch of this part; of a node whose time is over FailedPrecondition, whether the
  // key is known or not. InvalidArgument: such reports are not sealed to this key,
  // because it is of a node, and not of this one, or is general and this is a stream.
  absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> PrivateKeyFor(
      const Task& task, uint64_t part, const KeyId& id) const;
  // As Database::state.
  absl::Status State() const;

 private:
  KeyRing(Options options, KeyStore store)
      : options_(std::move(options)), store_(std::move(store)) {}

  // Rounded down to a second.
  absl::Time Now() const;
  absl::StatusOr<absl::Time> SureNow() const;
  absl::Status Load();
  absl::StatusOr<std::shared_ptr<const crypto::HpkePrivateKey>> PrivateKeyLocked(
      const KeyId& id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::KeyList ListLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first general key in this state.
  KeyRecord* Find(KeyState state, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  KeyRecord* Find(const KeyId& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetLife(KeyRecord* record, absl::Time begin, absl::Time end) const;
  // When this general key ends if it begins then: after its lifetime, or before another one begins.
  absl::Time EndOf(const KeyId& id, absl::Time begin) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // How many there are that are not destroyed.
  int64_t LiveKeys(bool of_nodes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<KeyRecord> MakeGeneralKey(RandomSource& random)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fresh keys whose files are written; no list names them yet. The same again until Change was
  // told of them, so that a disk that fails does not fill up with keys.
  absl::StatusOr<std::vector<KeyRecord>> MakeKeys(size_t count, RandomSource& random)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Of these tasks.
  absl::Status TendAll(const std::vector<CatalogEntry>& tasks, absl::Time now, RandomSource& random)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status TendGeneralKeys(absl::Time now, RandomSource& random)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status TendNodeKeys(const std::vector<CatalogEntry>& tasks, absl::Time now,
                            RandomSource& random) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A list of these changes, signed at this moment: on disk first, then in memory. No moment: the
  // clock is in doubt, and the list stays as old as it was.
  absl::Status Change(const std::vector<KeyRecord>& changed, std::optional<absl::Time> now,
                      const std::vector<KeyId>& forgotten = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status SignAnew(absl::Time now, absl::Duration age) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status DestroyLocked(const std::vector<KeyRecord>& records, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status RemoveFiles() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  Mutex tending_;  // held by Tend: by tasks that were asked for before, keys would end too early
  mutable Mutex mutex_;
  KeyStore store_ ABSL_GUARDED_BY(mutex_);
  uint64_t serial_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Time> issued_ ABSL_GUARDED_BY(mutex_);  // since the start
  std::vector<KeyRecord> spares_ ABSL_GUARDED_BY(mutex_);     // made, and not yet in the list
  std::vector<KeyRecord> records_ ABSL_GUARDED_BY(mutex_);    // oldest first
  absl::flat_hash_map<KeyId, std::shared_ptr<const crypto::HpkePrivateKey>> private_keys_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<KeyId> to_remove_ ABSL_GUARDED_BY(mutex_);  // destroyed, the file still there
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_KEY_RING_H_
