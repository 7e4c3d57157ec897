// The clock of a daemon: watched, with its doubt in log and metrics, and kept on disk.
#ifndef TOMBOLA_COMMON_DAEMON_CLOCK_H_
#define TOMBOLA_COMMON_DAEMON_CLOCK_H_

#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/metrics/metrics.h"

namespace tombola::daemon {

struct DaemonClockOptions {
  std::shared_ptr<const Clock> wall;
  std::shared_ptr<const SteadyClock> steady;
  std::string directory;     // of the daemon's data: the file `clock` is there
  bool peer_objects = true;  // as WatchedClockOptions::peer_objects
};

// A WatchedClock that logs clock_in_doubt and clock_sure. Keep is called by one thread, once a
// second.
class DaemonClock {
 public:
  explicit DaemonClock(const DaemonClockOptions& options);

  WatchedClock& clock() { return clock_; }
  void Keep();
  // A gauge of this name: 1 while there is doubt. This outlives the last look.
  void AddGauge(const std::string& name, Metrics& metrics) const;

 private:
  WatchedClock clock_;
  bool unkept_ = false;  // at the last call of Keep
};

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_CLOCK_H_
