// A task as analysts and administrators see it.
#ifndef TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_
#define TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_

#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "collector/catalog/catalog.h"
#include "collector/store/batch_ledger.h"
#include "collector/totals/trusted_totals.h"
#include "common/base/mutex.h"
#include "common/task/remarks.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Remembers of a task what takes long to find and never changes.
// Thread-safe.
class TaskInfos {
 public:
  // Without `totals` no task has any.
  explicit TaskInfos(const BatchLedger* ledger, const TrustedTotals* totals = nullptr)
      : ledger_(ledger), totals_(totals) {}

  absl::StatusOr<v1::TaskInfo> Describe(const CatalogEntry& entry);
  // The same of a task that there is not: nothing of it is remembered.
  absl::StatusOr<v1::TaskInfo> DescribePlanned(const std::shared_ptr<const Task>& task);
  // The same without the task's bytes, which may be many.
  absl::StatusOr<v1::TaskInfo> Counts(const CatalogEntry& entry);

 private:
  struct Known {
    int64_t needed = 0;  // submissions of a batch
    PredictedErrors errors;
  };
  static absl::StatusOr<Known> Find(const Task& task);
  absl::StatusOr<Known> Know(const Task& task);
  absl::StatusOr<v1::TaskInfo> Say(const CatalogEntry& entry, const Known& known);

  const BatchLedger* const ledger_;
  const TrustedTotals* const totals_;
  Mutex mutex_;
  absl::flat_hash_map<TaskId, Known> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_TASK_INFO_H_
