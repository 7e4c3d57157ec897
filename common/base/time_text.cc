#include "common/base/time_text.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace tombola {
namespace {

constexpr size_t kMostDigits = 6;  // of days: about 2,700 years

}  // namespace

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

int64_t WholeSeconds(absl::Time moment) {
  const int64_t seconds = absl::ToUnixSeconds(moment);
  return std::max<int64_t>(1, seconds + (absl::FromUnixSeconds(seconds) < moment ? 1 : 0));
}

std::optional<absl::Duration> ParseDuration(absl::string_view text) {
  absl::Duration whole = absl::ZeroDuration();
  const size_t end = text.find('d');
  if (end != absl::string_view::npos) {
    const absl::string_view digits = text.substr(0, end);
    int64_t days = 0;
    if (digits.empty() || digits.size() > kMostDigits || !absl::ascii_isdigit(digits.front()) ||
        !absl::SimpleAtoi(digits, &days)) {
      return std::nullopt;
    }
    whole = days * absl::Hours(24);
    text.remove_prefix(end + 1);
    if (text.empty()) return whole;
    if (!absl::ascii_isdigit(text.front())) return std::nullopt;
  }
  absl::Duration rest;
  if (!absl::ParseDuration(text, &rest)) return std::nullopt;
  return whole + rest;
}

}  // namespace tombola
