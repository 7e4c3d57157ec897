#include "client/submit/retry.h"

#include <algorithm>
#include <optional>

#include "common/base/retry_after.h"

namespace tombola::client {

bool IsTransient(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:  // by a server that lost its patience; nobody here cancels
      return true;
    default:
      return false;
  }
}

absl::Status Retry(const RetryOptions& options, const Clock& clock, RandomSource& random,
                   const std::function<void(absl::Duration)>& pause,
                   const std::function<absl::Status(absl::Duration)>& attempt) {
  const absl::Time deadline = clock.Now() + options.timeout;
  absl::Duration longest = options.first_pause;
  while (true) {
    const absl::Duration left = deadline - clock.Now();
    const absl::Status status = attempt(std::min(options.attempt_timeout, left));
    if (status.ok() || !IsTransient(status)) return status;
    const double draw = static_cast<double>(random.Next64() >> 11) * 0x1p-53;
    absl::Duration wait = longest * (0.5 + 0.5 * draw);
    const std::optional<absl::Duration> asked = RetryAfter(status);
    if (asked.has_value()) wait = std::max(wait, *asked * (1 + 0.5 * draw));
    if (clock.Now() + wait >= deadline) return status;
    pause(wait);
    if (clock.Now() >= deadline) return status;  // it slept longer than it was asked to
    longest = std::min(2 * longest, options.longest_pause);
  }
}

}  // namespace tombola::client
