// A refusal that says why and how long to wait, as payloads of an absl::Status.
#ifndef TOMBOLA_COMMON_BASE_RETRY_AFTER_H_
#define TOMBOLA_COMMON_BASE_RETRY_AFTER_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tombola {

// Longer waits are cut to this, whoever asks for them.
inline constexpr absl::Duration kLongestRetryAfter = absl::Hours(1);

// Nothing on an OK status. Milliseconds are kept; what is negative counts as zero.
void SetRetryAfter(absl::Duration wait, absl::Status* status);
// How long the refusing side asks to wait at least; nothing if it does not say.
std::optional<absl::Duration> RetryAfter(const absl::Status& status);

// ResourceExhausted with a wait, unless waiting does not help, and a cause: one word for a metric's
// label. The wait travels over the wire (common/rpc/status.h), the cause stays in the process.
absl::Status Refusal(absl::string_view cause, absl::string_view message,
                     std::optional<absl::Duration> wait);
// The same status, which is not OK, with a cause.
absl::Status WithCause(absl::string_view cause, absl::Status status);
// The same status, which is not OK, with its payloads and another message.
absl::Status WithMessage(absl::string_view message, const absl::Status& status);
// Empty if the status has none.
std::string RefusalCause(const absl::Status& status);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_RETRY_AFTER_H_
