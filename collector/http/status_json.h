// How a task's batches are doing, as GET /v1/tasks/{id}/status says it.
#ifndef TOMBOLA_COLLECTOR_HTTP_STATUS_JSON_H_
#define TOMBOLA_COLLECTOR_HTTP_STATUS_JSON_H_

#include <vector>

#include "absl/time/time.h"
#include "collector/store/batch_ledger.h"
#include "common/json/text.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// `batches` are the newest ones, in the order in which they are shown.
Json StatusJson(const Task& task, const v1::TaskInfo& info, const TaskTotals& totals,
                const std::vector<BatchRecord>& batches, absl::Time now);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_STATUS_JSON_H_
