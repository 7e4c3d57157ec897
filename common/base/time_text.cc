#include "common/base/time_text.h"

namespace tombola {

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::optional<absl::Time> ParseMoment(absl::string_view text) {
  for (const char* const format : {"%Y-%m-%d", absl::RFC3339_full}) {
    absl::Time time;
    if (absl::ParseTime(format, text, absl::UTCTimeZone(), &time, nullptr) &&
        time >= absl::UnixEpoch() && time < absl::FromUnixSeconds(253402300800)) {
      return time;
    }
  }
  return std::nullopt;
}

}  // namespace tombola
