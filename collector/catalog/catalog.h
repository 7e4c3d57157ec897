// The tasks, as the collector keeps them.
#ifndef TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_
#define TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/database/database.h"
#include "collector/database/whole.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/task/catalog_bound.h"
#include "common/task/task.h"

namespace tombola::collector {

struct CatalogEntry {
  std::shared_ptr<const Task> task;
  bool closed = false;
  bool archived = false;                     // out of lists; it is closed then
  std::optional<TaskId> superseded_by = {};  // not on disk: the other task says so
  // What the shuffler last said, coarsely.
  uint32_t held_percent = 0;
  int64_t expired = 0;
};

// The collector was brought back from a copy.
struct CatalogRestore {
  absl::Time taken;     // the copy: what was counted later is lost, but for what comes again
  absl::Time restored;  // and what was made later is not touched
  int64_t tasks = 0;    // those that there were in the copy
};

// Tasks on disk, in the order in which they were made, each with a checksum. Thread-safe.
class Catalog {
 public:
  // DataLoss: damaged. All tasks together take at most `max_bytes` (catalog_bound.h); what is there
  // already stays.
  static absl::StatusOr<std::unique_ptr<Catalog>> Open(const std::string& path,
                                                       int64_t max_bytes = kMaxAllTasksBytes);

  // AlreadyExists: it is there, or, where `unique_at` is a time, another task that has its name is
  // neither closed nor over then. FailedPrecondition: there is no room for it beside the others. Of
  // one that supersedes another that one is closed with it, and its name does not count;
  // InvalidArgument: there is no such task, it is of another kind, or superseded already.
  absl::Status Add(std::shared_ptr<const Task> task,
                   std::optional<absl::Time> unique_at = std::nullopt);
  // As Add would say of the name.
  absl::Status CheckName(const std::string& name, absl::Time now,
                         const std::optional<TaskId>& supersedes = std::nullopt) const;
  // NotFound: no such task. Closing a closed task is no error.
  absl::Status Close(const TaskId& id);
  // Out of lists, or back; what the shuffler is told does not change. NotFound: no such task.
  // FailedPrecondition: it is not closed.
  absl::Status SetArchived(const TaskId& id, bool archived);
  absl::Status SetProgress(const TaskId& id, uint32_t held_percent, int64_t expired);
  // A batch has come, so what was held is held no more; the shuffler tells of the next in its time.
  // Not on disk: after a restart it says what it was told last.
  void NothingHeld(const TaskId& id);

  // NotFound: no such task.
  absl::StatusOr<CatalogEntry> Find(const TaskId& id) const;
  std::vector<CatalogEntry> Tasks() const;
  // What all tasks count with, and so at most what a list of them takes as one message. Waits for
  // nothing.
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Whether a task that is not closed names this shuffler's long-term key. If none is open a closed
  // one will do, for batches of it may be under way; if there is none at all, any key.
  bool MayBeShuffler(const std::array<uint8_t, 32>& key) const;
  // On disk when it returns OK, and the version above every one that a collector of this name can
  // have told since the copy. Times are kept to the second.
  absl::Status NoteRestore(absl::Time taken, absl::Time restored);
  // Oldest first: all, or those that a task's batches may have been lost in.
  std::vector<CatalogRestore> Restores() const;
  std::vector<CatalogRestore> RestoresOf(const TaskId& id) const;
  // Grows with every change that the shuffler has to know of, also over restarts.
  uint64_t version() const;
  // As Database::state.
  absl::Status State() const;

 private:
  static constexpr uint64_t kFirstVersion = 1;  // of a catalogue that never changed

  Catalog(Database database, int64_t max_bytes)
      : max_bytes_(max_bytes), database_(std::move(database)) {}

  absl::Status Load();
  absl::Status CheckNameLocked(const std::string& name, absl::Time now,
                               const std::optional<TaskId>& supersedes) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<size_t> FindSuperseded(const Task& task) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The row of an entry, and the version after the present one.
  absl::Status Write(size_t place, const CatalogEntry& entry, Transaction& transaction)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status WriteVersion(uint64_t version, Transaction& transaction)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LoadRestores(Rows& found) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_bytes_;
  std::atomic<int64_t> bytes_ = 0;  // changed under mutex_
  mutable Mutex mutex_;
  Database database_ ABSL_GUARDED_BY(mutex_);
  std::vector<CatalogEntry> entries_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<TaskId, size_t> index_ ABSL_GUARDED_BY(mutex_);
  std::vector<CatalogRestore> restores_ ABSL_GUARDED_BY(mutex_);
  uint64_t version_ ABSL_GUARDED_BY(mutex_) = kFirstVersion;
};

// A number that grows by one with every change was `copied` in a copy that is brought back at
// `restored`; changes after the copy are forgotten, and this is above all of them. A collector
// makes fewer than 2^20 changes a second, so that in s seconds after a restore it cannot come as
// far as the restore s seconds later begins; and below 2^20 times the seconds since 1970 it is
// without any restore. It needs a clock that is not set back by more than the time between two
// restores. Up to the year 2242 the number is below 2^53, which JSON can carry.
inline uint64_t AboveAllSinceACopy(uint64_t copied, absl::Time restored) {
  constexpr uint64_t kChangesASecond = uint64_t{1} << 20;
  const auto seconds = static_cast<uint64_t>(std::max<int64_t>(0, absl::ToUnixSeconds(restored)));
  return std::max(copied + kChangesASecond, seconds * kChangesASecond);
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_CATALOG_H_
