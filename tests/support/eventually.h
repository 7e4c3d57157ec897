// Waiting for something that another thread does.
#ifndef TOMBOLA_TESTS_SUPPORT_EVENTUALLY_H_
#define TOMBOLA_TESTS_SUPPORT_EVENTUALLY_H_

#include "absl/functional/function_ref.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tombola {

// Asks until it comes true. False if it has not within a minute.
[[nodiscard]] inline bool Eventually(absl::FunctionRef<bool()> condition) {
  const absl::Time end = absl::Now() + absl::Minutes(1);
  while (!condition()) {
    if (absl::Now() > end) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_EVENTUALLY_H_
