// What the shuffler says of a batch that it still holds, as the collector checks it.
#ifndef TOMBOLA_COMMON_TASK_PROGRESS_H_
#define TOMBOLA_COMMON_TASK_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/ids.h"

namespace tombola {

// Prefixes what the shuffler's long-term key signs here.
inline constexpr absl::string_view kProgressContext = "tombola/v1/progress";

// The fields of the same names in collector.proto.
struct Progress {
  TaskId task{};
  uint32_t held_percent = 0;
  int64_t expired = 0;
  absl::Time time;  // of the shuffler's clock; whole milliseconds

  // InvalidArgument: not a progress, or a field is out of its bounds. The signature is checked
  // apart, because the key to check it with is the task's.
  static absl::StatusOr<Progress> Parse(absl::string_view bytes);
  std::string Serialise() const;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_PROGRESS_H_
