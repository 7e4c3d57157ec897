// A task for scripts. The command line and the collector's HTTP interface write the very same.
#ifndef TOMBOLA_COMMON_JSON_TASK_H_
#define TOMBOLA_COMMON_JSON_TASK_H_

#include "absl/time/time.h"
#include "common/json/text.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// As in a list of tasks: the edges of numbers are null if they are more than 100, and so are the
// labels of records' attributes, if they are together. Of `info` the counts are read, the task's
// bytes are not.
Json TaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now);

// The same with all edges and labels, those of the values too, and the "other" value.
Json WholeTaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_TASK_H_
