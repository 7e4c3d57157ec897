// Calls of devices that are refused as a whole: counted by cause, and overload told of in the log.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_REFUSALS_H_
#define TOMBOLA_SHUFFLER_ACCEPT_REFUSALS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/metrics/cause_counters.h"
#include "common/metrics/metrics.h"

namespace tombola::shuffler {

// Count is thread-safe and never logs: a flood of refusals costs an atomic addition each. Step is
// called by one thread, every few seconds.
class Refusals {
 public:
  // As long as nothing is refused for want of room an overload is over.
  static constexpr absl::Duration kQuiet = absl::Minutes(1);

  // `metrics` outlives this.
  explicit Refusals(Metrics& metrics);

  // By the cause that the status carries, else by its code.
  void Count(const absl::Status& status);

  // Logs `overload_began` at the first look after a call was refused for want of room, and
  // `overload_ended` once none was for kQuiet.
  void Step(absl::Time now);

 private:
  CauseCounters counters_;
  // At the last look.
  std::map<std::string, double> seen_;
  bool overloaded_ = false;
  absl::Time began_;
  absl::Time last_refused_;
  double refused_ = 0;  // since it began
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_ACCEPT_REFUSALS_H_
