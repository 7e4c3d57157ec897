// What nobody is likely to want of a task, said before it is too late.
#ifndef TOMBOLA_COMMON_TASK_REMARKS_H_
#define TOMBOLA_COMMON_TASK_REMARKS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/task/task.h"

namespace tombola {

// Of batches of the planned submissions, and of the fewest that may leave (Kind::PredictedMse).
struct PredictedErrors {
  double planned_mse = 0;
  double smallest_mse = 0;
};

// What its predicted error is of: "a share", "the mean, of the range".
absl::string_view ErrorIsOf(const Task& task);

// A sentence each, for people: a delta that is no less than one in the planned submissions, a
// period that is longer than the task, an error above what is to be seen. What a device's whole
// life costs is WholeLifeWarning's. Empty: nothing strikes the eye, which is no praise.
// Thread-safe.
std::vector<std::string> Remarks(const Task& task, const PredictedErrors& errors);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_REMARKS_H_
