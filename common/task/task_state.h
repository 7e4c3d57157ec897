// Whether a task takes submissions.
#ifndef TOMBOLA_COMMON_TASK_TASK_STATE_H_
#define TOMBOLA_COMMON_TASK_TASK_STATE_H_

#include "absl/time/time.h"
#include "common/task/task.h"

namespace tombola {

// "closed", "ended" when its time is over, "not_begun" when it has yet to come, or "open".
inline const char* StateOf(const Task& task, bool closed, absl::Time now) {
  if (closed) return "closed";
  if (now >= task.not_after()) return "ended";
  return now < task.not_before() ? "not_begun" : "open";
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_TASK_STATE_H_
