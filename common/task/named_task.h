// The task that a person means.
#ifndef TOMBOLA_COMMON_TASK_NAMED_TASK_H_
#define TOMBOLA_COMMON_TASK_NAMED_TASK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/ids.h"

namespace tombola {

struct KnownTask {
  TaskId id{};
  std::string name;
  bool open = true;
};

// The one that `text` names: by its whole id, by its name (an open one before closed ones), or by
// the first digits of its id, four or more. NotFound: none. InvalidArgument: several, which it
// lists. Both begin with `what`, such as the flag's name.
absl::StatusOr<TaskId> MatchTask(absl::string_view what, absl::string_view text,
                                 const std::vector<KnownTask>& tasks);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_NAMED_TASK_H_
