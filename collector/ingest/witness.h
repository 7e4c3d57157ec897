// Whose clock the collector compares its own with.
#ifndef TOMBOLA_COLLECTOR_INGEST_WITNESS_H_
#define TOMBOLA_COLLECTOR_INGEST_WITNESS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// Takes the time of a shuffler that a task names, if that shuffler has signed it and the task is
// not closed: then the role `shuffler` of whoever brings it counts for nothing. A task that has
// ended by this clock still counts, for this clock is what is in question. While no task is open
// the closed ones' shufflers count, and while there is no task at all, so that nothing can be lost,
// anybody's does: the first task need not wait.
//
// The times of a shuffler grow: one that is not later than the last of its key was said before, and
// somebody brings it again. The last one keeps others out for two minutes of the steady clock; a
// shuffler that works says the next within a second or so. After that any is taken, so that a
// shuffler whose clock was put back is heard again. So an old time is not recognised while the
// shuffler itself has been silent for two minutes, or as the first after a restart.
//
// Free of gRPC. Thread-safe.
class Witnesses {
 public:
  Witnesses(const Catalog* catalog, std::shared_ptr<const SteadyClock> steady)
      : catalog_(catalog), steady_(std::move(steady)) {}

  // What a serialised ShufflerTime says. Nothing: it is no witness, or says nothing new.
  std::optional<absl::Time> Told(const std::string& time, const std::string& signature);

 private:
  using Key = std::array<uint8_t, 32>;
  struct Last {
    absl::Time time;
    absl::Duration at;  // of the steady clock
  };

  const Catalog* const catalog_;
  const std::shared_ptr<const SteadyClock> steady_;
  Mutex mutex_;
  absl::flat_hash_map<Key, Last> last_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_WITNESS_H_
