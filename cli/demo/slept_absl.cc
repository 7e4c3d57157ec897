// Abseil reads the clock every two seconds or so and counts the processor's cycles in between,
// which knows nothing of a sleep that lasts no time. Preloaded with slept_clock.c, this has it read
// the clock each time.
#include <time.h>

#include <cstdint>

#include "absl/base/config.h"
#include "absl/time/clock.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

int64_t GetCurrentTimeNanos() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

ABSL_NAMESPACE_END
}  // namespace absl
