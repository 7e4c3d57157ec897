// What the collector may know of batches that are still held.
#ifndef TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_
#define TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// Held submissions as a share of the planned ones, rounded down to 5 percent, at most 100: coarse
// enough that arrival times stay with the shuffler.
uint32_t CoarsePercent(int64_t held, int64_t planned);

// Tells the collector about each task when its coarse numbers have changed, at most once a minute.
// Step is called by one thread.
class ProgressReporter {
 public:
  ProgressReporter(const Catalog* catalog, const Store* store, CollectorLink* link,
                   const Clock* clock)
      : catalog_(catalog), store_(store), link_(link), clock_(clock) {}

  void Step();

 private:
  struct Told {
    uint32_t percent = 0;
    int64_t expired = 0;
    absl::Time at = absl::InfinitePast();
    int64_t held = 0;   // at the last look
    bool left = false;  // a batch has left since: the collector takes nothing to be held then
  };

  const Catalog* const catalog_;
  const Store* const store_;
  CollectorLink* const link_;
  const Clock* const clock_;
  absl::flat_hash_map<TaskId, Told> told_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_
