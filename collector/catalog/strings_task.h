// What a request for strings becomes in a task.
#ifndef TOMBOLA_COLLECTOR_CATALOG_STRINGS_TASK_H_
#define TOMBOLA_COLLECTOR_CATALOG_STRINGS_TASK_H_

#include "absl/status/status.h"
#include "common/plan/plan.h"
#include "tombola/v1/collector.pb.h"
#include "tombola/v1/task.pb.h"

namespace tombola::collector {

// InvalidArgument names the field of a request for strings that is missing or out of its bounds,
// and what strings do not take; also where a request of another kind asks for strings.
absl::Status CheckStrings(const v1::CreateTaskRequest& request);

// The alphabet, the length and the levels, with some noise, until it is planned, so that the rest
// of the task can be read. InvalidArgument in the words of the request.
absl::Status SetAnyStrings(const v1::CreateTaskRequest& request, v1::Task* task);

// Plans how devices send their strings, with which buckets and noise; and where the request leaves
// it open, that strings are published from the number of holders on that finding them takes.
// FailedPrecondition if nothing is feasible, with the reasons, or a string would have more holders
// than there are devices.
absl::Status SetStrings(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan,
                        v1::Task* task);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_STRINGS_TASK_H_
