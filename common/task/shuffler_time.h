// What time the shuffler says it is, as the collector checks it.
#ifndef TOMBOLA_COMMON_TASK_SHUFFLER_TIME_H_
#define TOMBOLA_COMMON_TASK_SHUFFLER_TIME_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tombola {

// Prefixes what the shuffler's long-term key signs here.
inline constexpr absl::string_view kShufflerTimeContext = "tombola/v1/time";

// The fields of the same names in collector.proto.
struct ShufflerTime {
  std::array<uint8_t, 32> shuffler_key{};
  absl::Time time;  // of the shuffler's clock; whole milliseconds

  // InvalidArgument: not a time, or a field is out of its bounds. The signature is checked apart,
  // because a key that the message itself names proves nothing unless a task names it too.
  static absl::StatusOr<ShufflerTime> Parse(absl::string_view bytes);
  std::string Serialise() const;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_SHUFFLER_TIME_H_
