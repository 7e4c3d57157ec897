// Moments, as people and JSON read them.
#ifndef TOMBOLA_COMMON_BASE_TIME_TEXT_H_
#define TOMBOLA_COMMON_BASE_TIME_TEXT_H_

#include <string>

#include "absl/time/time.h"

namespace tombola {

// To the second, in UTC: 2026-11-17T13:26:00Z.
std::string TimeText(absl::Time time);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_TIME_TEXT_H_
