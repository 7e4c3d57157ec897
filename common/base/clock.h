// Time as an argument: the daemons' mains and the SDK's facade pass a SystemClock, tests a clock of
// their own.
#ifndef TOMBOLA_COMMON_BASE_CLOCK_H_
#define TOMBOLA_COMMON_BASE_CLOCK_H_

#include <chrono>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tombola {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
  // The same for what cannot be undone. Unavailable: the clock has been set or is otherwise in
  // doubt (common/base/watched_clock.h); wait.
  virtual absl::StatusOr<absl::Time> SureNow() const { return Now(); }
};

class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

// Time that nobody sets, for how long something takes: the system's clock may be stepped by hours
// while it runs. Counts from a moment without a meaning. Thread-safe.
class SteadyClock {
 public:
  virtual ~SteadyClock() = default;
  virtual absl::Duration Now() const {
    return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
  }
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_CLOCK_H_
