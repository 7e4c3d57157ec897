// Durations as people write them in flags and files.
#ifndef TOMBOLA_COMMON_BASE_DURATION_H_
#define TOMBOLA_COMMON_BASE_DURATION_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tombola {

// "90s", "15m", "1h30m", as absl::ParseDuration reads them, and whole days before that: "30d",
// "1d12h". Nothing for everything else.
std::optional<absl::Duration> ParseDuration(absl::string_view text);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_DURATION_H_
