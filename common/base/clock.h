// Time as an argument: the daemons' mains and the SDK's facade pass a SystemClock, tests a clock of
// their own.
#ifndef TOMBOLA_COMMON_BASE_CLOCK_H_
#define TOMBOLA_COMMON_BASE_CLOCK_H_

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tombola {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  absl::Time Now() const override { return absl::Now(); }
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_CLOCK_H_
