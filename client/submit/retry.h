// Trying again, with patience that grows.
#ifndef TOMBOLA_CLIENT_SUBMIT_RETRY_H_
#define TOMBOLA_CLIENT_SUBMIT_RETRY_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/random/random_source.h"

namespace tombola::client {

struct RetryOptions {
  absl::Duration timeout = absl::Seconds(30);          // for all attempts together
  absl::Duration attempt_timeout = absl::Seconds(10);  // for one
  absl::Duration first_pause = absl::Milliseconds(100);
  absl::Duration longest_pause = absl::Seconds(10);
};

// True for what another attempt may cure: the shuffler is away, busy or slow.
bool IsTransient(const absl::Status& status);

// Runs `attempt(time limit)` until it succeeds, fails for good, or the time is up; the last status
// is returned. The pause doubles from try to try and is drawn uniformly between half of it and all
// of it, so that devices that failed together do not return together. If the shuffler says how long
// to wait (common/base/retry_after.h) it is at least that and up to half as much again; if that is
// beyond the deadline, the status is returned at once. `pause` waits.
absl::Status Retry(const RetryOptions& options, const Clock& clock, RandomSource& random,
                   const std::function<void(absl::Duration)>& pause,
                   const std::function<absl::Status(absl::Duration)>& attempt);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SUBMIT_RETRY_H_
