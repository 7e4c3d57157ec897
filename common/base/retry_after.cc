#include "common/base/retry_after.h"

#include <algorithm>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tombola {
namespace {

constexpr char kRetryAfter[] = "tombola/retry_after_ms";
constexpr char kCause[] = "tombola/refusal_cause";

}  // namespace

void SetRetryAfter(absl::Duration wait, absl::Status* status) {
  wait = std::clamp(wait, absl::ZeroDuration(), kLongestRetryAfter);
  status->SetPayload(kRetryAfter, absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(wait))));
}

std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryAfter);
  int64_t milliseconds = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

absl::Status Refusal(absl::string_view cause, absl::string_view message,
                     std::optional<absl::Duration> wait) {
  absl::Status status = absl::ResourceExhaustedError(message);
  if (wait.has_value()) SetRetryAfter(*wait, &status);
  return WithCause(cause, std::move(status));
}

absl::Status WithCause(absl::string_view cause, absl::Status status) {
  status.SetPayload(kCause, absl::Cord(cause));
  return status;
}

absl::Status WithMessage(absl::string_view message, const absl::Status& status) {
  absl::Status changed(status.code(), message);
  status.ForEachPayload([&changed](absl::string_view name, const absl::Cord& payload) {
    changed.SetPayload(name, payload);
  });
  return changed;
}

std::string RefusalCause(const absl::Status& status) {
  const auto payload = status.GetPayload(kCause);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace tombola
