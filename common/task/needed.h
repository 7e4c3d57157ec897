// How many submissions a batch of a task needs.
#ifndef TOMBOLA_COMMON_TASK_NEEDED_H_
#define TOMBOLA_COMMON_TASK_NEEDED_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/task/task.h"

namespace tombola {

// The smallest number of submissions for which the task's target holds after the dishonest share is
// taken off, and no less than the policy's smallest batch. FailedPrecondition: more than a batch of
// the planned number has, so the target can never be met.
absl::StatusOr<int64_t> NeededSubmissions(const Task& task);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_NEEDED_H_
