// One counter for each of a few causes.
#ifndef TOMBOLA_COMMON_METRICS_CAUSE_COUNTERS_H_
#define TOMBOLA_COMMON_METRICS_CAUSE_COUNTERS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/metrics/metrics.h"

namespace tombola {

// All are there from the start, with zero, so that the first event of a cause is an increase; a
// cause that was not named counts as `other`, so that their number is bounded. Thread-safe.
class CauseCounters {
 public:
  // `metrics` outlives this.
  CauseCounters(Metrics& metrics, const std::string& name, const std::string& help,
                const std::vector<std::string>& causes);

  void Add(absl::string_view cause, double amount = 1) { Find(cause).Increment(amount); }
  // A call that ended with this status: by the cause that it carries (RefusalCause of
  // common/base/retry_after.h), else by that of its code: `malformed`, `unknown_task`, `role` or
  // `nothing_counted`.
  void AddRefusal(const absl::Status& status);
  // So far, of one cause.
  double Value(absl::string_view cause) const { return Find(cause).Value(); }

 private:
  prometheus::Counter& Find(absl::string_view cause) const;

  absl::flat_hash_map<std::string, prometheus::Counter*> counters_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_METRICS_CAUSE_COUNTERS_H_
