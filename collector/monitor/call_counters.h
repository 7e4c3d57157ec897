// Calls over gRPC, by method and code.
#ifndef TOMBOLA_COLLECTOR_MONITOR_CALL_COUNTERS_H_
#define TOMBOLA_COLLECTOR_MONITOR_CALL_COUNTERS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/metrics/metrics.h"

namespace tombola::collector {

// Methods of the three services have counters for OK from the start, and for other codes once there
// is one; what else a peer calls counts as `other`. Thread-safe.
class CallCounters {
 public:
  // `metrics` outlives this.
  explicit CallCounters(Metrics& metrics);

  void Count(absl::string_view method, absl::string_view code);

 private:
  Metrics& metrics_;
  absl::flat_hash_map<std::string, prometheus::Counter*> ok_;  // by method
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_MONITOR_CALL_COUNTERS_H_
