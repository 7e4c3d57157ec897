// Time that passes in the demonstration because the machine has slept.
#ifndef TOMBOLA_CLI_DEMO_SLEPT_CLOCK_H_
#define TOMBOLA_CLI_DEMO_SLEPT_CLOCK_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tombola::cli {

// For this process and the children that it starts the time is later than elsewhere on the machine,
// as if it had slept (slept_clock.c, which is preloaded). Daemons have no such flag: they cannot be
// told so by anybody who does not start them in this way. Not thread-safe.
class SleptClock {
 public:
  // The first call replaces this process by the same with the clock preloaded, and returns only if
  // that fails; the next one, in that process, returns the clock. NotFound: the preloaded library
  // is not where it was installed. Unimplemented: a sanitizer's runtime stands in its way.
  static absl::StatusOr<SleptClock> Enter();
  ~SleptClock();
  SleptClock(SleptClock&& other) noexcept;
  SleptClock& operator=(SleptClock&& other) = delete;

  // Sleeps until then, which takes no time. Nothing where it is that late already.
  void SleepUntil(absl::Time moment);

 private:
  explicit SleptClock(volatile int64_t* seconds) : seconds_(seconds) {}

  volatile int64_t* seconds_;  // that were slept so far
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DEMO_SLEPT_CLOCK_H_
