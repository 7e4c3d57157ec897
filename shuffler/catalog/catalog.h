// The tasks and keys that the shuffler serves to devices.
#ifndef TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_
#define TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_

#include <array>
#include <cstdint>
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

struct CatalogEntry {
  std::shared_ptr<const Task> task;
  bool closed = false;
};

// A copy of the collector's catalogue, checked and kept on disk, so that a restart without the
// collector goes on serving. A task is taken in only if it is valid, names this shuffler's key, and
// is signed for by its id; a key list only if the collector that the tasks name signed it and it is
// not older than the one at hand. Thread-safe.
class Catalog {
 public:
  struct Options {
    std::string path;                        // of the copy on disk
    std::array<uint8_t, 32> shuffler_key{};  // tasks for another shuffler are left out
    std::array<uint8_t, 32> collector_key{};
  };

  static absl::StatusOr<std::unique_ptr<Catalog>> Open(const Options& options);

  // Takes over what the collector sent. A task that is not valid is left out and named in the
  // returned status; the others are taken all the same.
  absl::Status Update(const v1::Catalog& wire);

  uint64_t version() const;
  std::optional<CatalogEntry> Find(const TaskId& id) const;
  std::vector<CatalogEntry> Tasks() const;
  // Unavailable: none has been fetched yet.
  absl::StatusOr<v1::SignedKeyList> SignedKeys() const;
  // A key of the collector, of any age.
  std::optional<HpkeKey> FindKey(const KeyId& id) const;

 private:
  explicit Catalog(Options options) : options_(std::move(options)) {}

  absl::Status Take(const v1::Catalog& wire);

  const Options options_;
  mutable Mutex mutex_;
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<TaskId, CatalogEntry> tasks_ ABSL_GUARDED_BY(mutex_);
  v1::SignedKeyList signed_keys_ ABSL_GUARDED_BY(mutex_);
  std::optional<KeyList> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_CATALOG_H_
