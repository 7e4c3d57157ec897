// What a request for a stream becomes in a task.
#ifndef TOMBOLA_COLLECTOR_CATALOG_STREAM_TASK_H_
#define TOMBOLA_COLLECTOR_CATALOG_STREAM_TASK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/plan/plan.h"
#include "tombola/v1/collector.pb.h"
#include "tombola/v1/task.pb.h"

namespace tombola::collector {

// InvalidArgument names the field of a stream's request that is missing or out of its bounds, and
// what a stream does not take; also where a request of another kind asks for a stream.
absl::Status CheckStream(const v1::CreateTaskRequest& request);

// Of a valid stream: the longest of up to a day for which retries of a submission are recognised
// and that ends, with the grace of a period, before the next period does.
uint64_t UsualRetryWindow(uint64_t interval);
// Four fifths of what a period usually has: a node needs that for each of its periods, all
// together, so that periods make up for each other, and a single one may fall short by a fifth.
uint64_t UsualStreamBatch(uint64_t users);

// InvalidArgument unless retries of a period come to an end before the next one does.
absl::Status CheckRetries(const v1::BatchPolicy& policy);

// Plain nodes with some noise, until they are planned, so that the rest of the task can be read.
void SetAnyNodes(const v1::CreateTaskRequest& request, v1::Task* task);
// Plans the nodes. `plan` is of one period. Errors as PlanStream; FailedPrecondition if nothing is
// feasible, with the reasons, and what is too much to be planned.
absl::Status SetNodes(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan,
                      v1::Task* task);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_CATALOG_STREAM_TASK_H_
