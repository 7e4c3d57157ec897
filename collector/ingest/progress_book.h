// What shufflers say of batches that they still hold.
#ifndef TOMBOLA_COLLECTOR_INGEST_PROGRESS_BOOK_H_
#define TOMBOLA_COLLECTOR_INGEST_PROGRESS_BOOK_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// Takes the progress of a task from the shuffler that the task names alone, whoever carries it: it
// is signed. Each is taken once, the later after the earlier; one that is more than ten minutes
// away from this clock is refused, so that an old one cannot come back after a restart either. None
// is taken while the clock is in doubt. What was taken by a clock that was believed and then put
// right by more than ten minutes keeps nothing out: then it is as after a restart. Free of gRPC.
// Thread-safe.
class ProgressBook {
 public:
  ProgressBook(Catalog* catalog, const Clock* clock) : catalog_(catalog), clock_(clock) {}

  // InvalidArgument: not a progress. NotFound: no such task. Unauthenticated: not signed by its
  // shuffler. FailedPrecondition: it, or a later one, was told before, or its time is far from now.
  // Unavailable: the clock is in doubt.
  absl::Status Take(const std::string& progress, const std::string& signature);

 private:
  Catalog* const catalog_;
  const Clock* const clock_;
  Mutex mutex_;
  // The time of the last one of each task.
  absl::flat_hash_map<TaskId, absl::Time> last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_PROGRESS_BOOK_H_
