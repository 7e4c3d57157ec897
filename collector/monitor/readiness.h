// Whether a load balancer may send calls.
#ifndef TOMBOLA_COLLECTOR_MONITOR_READINESS_H_
#define TOMBOLA_COLLECTOR_MONITOR_READINESS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// What /readyz says, from memory alone. A worker looks at the stores, for which it may have to wait
// as long as a disk takes; whoever asks hears what it saw last, and waits for nobody. A worker that
// has seen nothing for half a minute hangs, and so do the stores. Thread-safe.
class Readiness {
 public:
  explicit Readiness(std::shared_ptr<const SteadyClock> clock)
      : clock_(std::move(clock)), looked_(clock_->Now()) {}

  // What became of the worker's looks at the databases and at the HPKE keys. True: it is an error
  // that was not there at the look before.
  bool SawStores(const absl::Status& state);
  bool SawKeys(const absl::Status& tended);
  // From now on it is not ready.
  void Stop();

  // Unavailable, with a sentence for people: it is not ready.
  absl::Status Ready() const;

 private:
  const std::shared_ptr<const SteadyClock> clock_;
  mutable Mutex mutex_;  // held for a few instructions
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool stores_failed_ ABSL_GUARDED_BY(mutex_) = false;
  std::string keys_failure_ ABSL_GUARDED_BY(mutex_);
  absl::Duration looked_ ABSL_GUARDED_BY(mutex_);  // at the stores
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_MONITOR_READINESS_H_
