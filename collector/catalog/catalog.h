// The tasks, as the collector keeps them.
#ifndef TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_
#define TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/database/database.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/task/task.h"

namespace tombola::collector {

struct CatalogEntry {
  std::shared_ptr<const Task> task;
  bool closed = false;
  // What the shuffler last said, coarsely.
  uint32_t held_percent = 0;
  int64_t expired = 0;
};

// Tasks on disk, in the order in which they were made, each with a checksum. Thread-safe.
class Catalog {
 public:
  // DataLoss: damaged.
  static absl::StatusOr<std::unique_ptr<Catalog>> Open(const std::string& path);

  // AlreadyExists: it is there.
  absl::Status Add(std::shared_ptr<const Task> task);
  // NotFound: no such task. Closing a closed task is no error.
  absl::Status Close(const TaskId& id);
  absl::Status SetProgress(const TaskId& id, uint32_t held_percent, int64_t expired);
  // A batch has come, so what was held is held no more; the shuffler tells of the next in its time.
  // Not on disk: after a restart it says what it was told last.
  void NothingHeld(const TaskId& id);

  // NotFound: no such task.
  absl::StatusOr<CatalogEntry> Find(const TaskId& id) const;
  std::vector<CatalogEntry> Tasks() const;
  // Grows with every change that the shuffler has to know of, also over restarts.
  uint64_t version() const;

 private:
  explicit Catalog(Database database) : database_(std::move(database)) {}

  absl::Status Load();
  // The row of an entry, and the version after the present one with the number of tasks.
  absl::Status Write(size_t place, const CatalogEntry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteVersion(size_t tasks) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  Database database_ ABSL_GUARDED_BY(mutex_);
  std::vector<CatalogEntry> entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<TaskId, size_t> index_ ABSL_GUARDED_BY(mutex_);
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_
