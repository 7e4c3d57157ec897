// Times, as people read and write them.
#ifndef TOMBOLA_COMMON_BASE_TIME_TEXT_H_
#define TOMBOLA_COMMON_BASE_TIME_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tombola {

// A moment to the second, in UTC: 2026-11-17T13:26:00Z.
std::string TimeText(absl::Time time);

// A moment of the years 1970 to 9999 as people write it: 2026-11-17T13:26:00Z (RFC 3339, with any
// offset), or 2026-11-17 for the beginning of that day in UTC. Nothing: it is neither.
std::optional<absl::Time> ParseMoment(absl::string_view text);
// Unix seconds of such a moment, rounded up, 1 or more: periods begin at whole seconds, and one
// that begins at or after a moment begins at or after this.
int64_t WholeSeconds(absl::Time moment);
// What ParseMoment takes, for messages.
inline constexpr absl::string_view kMomentForm =
    "a time such as 2026-11-17T13:26:00Z or 2026-11-17";

// Durations as people write them in flags and files: "90s", "15m", "1h30m", as absl::ParseDuration
// reads them, and whole days before that: "30d", "1d12h". Nothing for everything else.
std::optional<absl::Duration> ParseDuration(absl::string_view text);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_TIME_TEXT_H_
