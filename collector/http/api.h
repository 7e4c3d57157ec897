// The collector's HTTP interface: which path answers what, and to whom.
#ifndef TOMBOLA_COLLECTOR_HTTP_API_H_
#define TOMBOLA_COLLECTOR_HTTP_API_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/audit/audit_log.h"
#include "collector/catalog/catalog.h"
#include "collector/http/files.h"
#include "collector/http/plans.h"
#include "collector/query/answers.h"
#include "collector/query/task_info.h"
#include "collector/store/batch_ledger.h"
#include "collector/totals/trusted_totals.h"
#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/base/work_pool.h"
#include "common/http/router.h"
#include "common/json/text.h"
#include "common/metrics/metrics.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// All of them outlive the router, its server and the pools' threads.
struct ApiParts {
  const Catalog* catalog = nullptr;
  const BatchLedger* ledger = nullptr;
  const Clock* clock = nullptr;
  Metrics* metrics = nullptr;
  Answers* answers = nullptr;
  AuditLog* audit = nullptr;
  TaskInfos* infos = nullptr;
  const TrustedTotals* totals = nullptr;
  Plans* plans = nullptr;
  FairShare* budget = nullptr;  // the budget of what is computed and sent
  const Files* files = nullptr;
  WorkPool* answer_pool = nullptr;  // for answers
  WorkPool* desk = nullptr;         // for what may wait for a lock or a disk, and begins questions
  WorkPool* monitor = nullptr;      // for metrics, so that they do not wait for questions
  // Whether questions and batches are taken; at once, from any thread.
  std::function<absl::Status()> ready;
};

// docs/http.md and openapi.json describe it.
http::Router MakeRoutes(const ApiParts& parts);

// The interface's own description: openapi.json of this folder.
absl::string_view OpenApi();

// How a task's batches are doing, as GET /v1/tasks/{id}/status says it. `batches` are the newest
// ones, in the order in which they are shown.
Json StatusJson(const Task& task, const v1::TaskInfo& info, const TaskTotals& totals,
                const std::vector<BatchRecord>& batches, absl::Time now);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_API_H_
