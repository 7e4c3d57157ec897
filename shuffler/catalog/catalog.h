// The tasks and keys that the shuffler serves to devices.
#ifndef TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_
#define TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

// What becomes of reports under a key.
enum class KeyStanding {
  kUnknown,    // never heard of, or no list is at hand
  kOpen,       // they are taken
  kClosed,     // its window is closed: none is taken, what is held leaves or expires
  kDestroyed,  // the collector has struck it from its list: nobody can open them
  kMisused,    // it is for others: a node's, or not this one's
};

struct CatalogEntry {
  std::shared_ptr<const Task> task;
  bool closed = false;
};

// A copy of the collector's catalogue, checked and kept on disk, so that a restart without the
// collector goes on serving. A task is taken in only if it is valid, names this shuffler's key, and
// is signed for by its id; a key list only if the collector that the tasks name signed it, it is
// neither older than the one at hand nor another one of its serial, and no key has the id of
// another one that was ever served: ids are short enough for a hostile collector to find two keys
// of one id, with which it could tell apart what a batch is to mix. Thread-safe, with one thread
// that updates.
class Catalog {
 public:
  struct Options {
    std::string path;                        // of the copy on disk
    std::array<uint8_t, 32> shuffler_key{};  // tasks for another shuffler are left out
    std::array<uint8_t, 32> collector_key{};
    // Asked about every valid task before a device can see it; what it refuses is left out. Absent:
    // all are admitted.
    std::function<absl::Status(const std::shared_ptr<const Task>&)> admit = {};
  };

  static absl::StatusOr<std::unique_ptr<Catalog>> Open(const Options& options);

  // Takes over what the collector sent. A task that is not valid is left out and named in the
  // returned status; the others are taken all the same.
  absl::Status Update(const v1::Catalog& wire);

  uint64_t version() const;
  std::optional<CatalogEntry> Find(const TaskId& id) const;
  // Why a task that the collector sent last is not served; OK where it is, or was not sent.
  absl::Status WhyNot(const TaskId& id) const;
  std::vector<CatalogEntry> Tasks() const;
  // Unavailable: none has been fetched yet.
  absl::StatusOr<v1::SignedKeyList> SignedKeys() const;
  // Nothing: none has been fetched yet.
  std::optional<KeyList> Keys() const;
  // A key of the collector's list.
  std::optional<HpkeKey> FindKey(const KeyId& id) const;
  KeyStanding StandingOf(const KeyId& id, absl::Time now) const;
  // The same of reports that go into batches of this part of the task: kMisused if the key is not
  // for these (HpkeKey::IsFor).
  KeyStanding StandingFor(const Task& task, uint64_t part, const KeyId& id, absl::Time now) const;
  // Each time the collector was brought back from a copy, oldest first, as it says.
  std::vector<v1::CollectorRestore> Restores() const;

 private:
  explicit Catalog(Options options) : options_(std::move(options)) {}

  absl::Status Take(const v1::Catalog& wire);
  KeyListVersion KeysAtHand() const;
  // Null: it is not in the list.
  const HpkeKey* Listed(const KeyId& id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  KeyStanding Standing(const KeyId& id, const HpkeKey* listed, absl::Time now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Remembers the keys, on disk, before they are served.
  absl::Status Remember(const KeyList& keys);
  absl::Status LoadSeenKeys();
  std::string SeenKeysPath() const { return options_.path + ".keys"; }

  const Options options_;
  mutable Mutex mutex_;
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<TaskId, CatalogEntry> tasks_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<TaskId, absl::Status> refused_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::CollectorRestore> restores_ ABSL_GUARDED_BY(mutex_);
  v1::SignedKeyList signed_keys_ ABSL_GUARDED_BY(mutex_);
  std::optional<KeyList> keys_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<KeyId, HpkeKey> keys_by_id_ ABSL_GUARDED_BY(mutex_);  // of keys_
  // Every public key that was ever served, by its id.
  absl::flat_hash_map<KeyId, std::array<uint8_t, 32>> seen_keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_
