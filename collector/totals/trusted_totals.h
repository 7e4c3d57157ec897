// The trusted totals of all tasks that asked for them: how many took part, and how many reports
// were refused, up to each period, published with noise that the collector adds.
#ifndef TOMBOLA_COLLECTOR_TOTALS_TRUSTED_TOTALS_H_
#define TOMBOLA_COLLECTOR_TOTALS_TRUSTED_TOTALS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "collector/catalog/catalog.h"
#include "collector/store/batch_ledger.h"
#include "collector/totals/known_totals.h"
#include "collector/totals/published_totals.h"
#include "common/base/mutex.h"
#include "common/random/random_source.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// When a period's total is published: so long after the period is closed, whatever has come. A
// batch that comes later is in later totals.
absl::Duration TotalsWait(const Task& task);

// A total is published once and never changes: over crashes, and whatever the ledger has later.
// Each task and quantity has noise of its own, and a directory of its own in one that is in no
// backup; what cannot go on harms nothing else, and is said by whoever asks about it.
//
// Not guaranteed: anything if an older copy of the directory is put back (LastingTotals). Not
// hidden: which periods a task has, and when they end.
//
// Thread-safe.
class TrustedTotals {
 public:
  struct Parts {
    std::string directory;  // made when it is first needed
    std::string key_file;   // likewise
    const Catalog* catalog = nullptr;
    const BatchLedger* ledger = nullptr;
    RandomSource* random = nullptr;  // cryptographic; used by this object alone
  };
  // What was begun for a task that the catalogue does not know is erased: nobody was told of it.
  // The status of a directory or a key that cannot be read at all.
  static absl::StatusOr<std::unique_ptr<TrustedTotals>> Open(const Parts& parts);

  // On disk on return. To be called before the task is in the catalogue, so that no task is without
  // what it asked for; Discard if it does not get there. InvalidArgument names what is out of its
  // bounds.
  absl::Status Begin(const v1::TrustedTotalsRequest& request, std::shared_ptr<const Task> task);
  void Discard(const TaskId& task);

  // Publishes what is due, and ends what has come to its end.
  void Step(absl::Time now);

  // Empty for a task that asked for none.
  std::vector<v1::TotalsInfo> Describe(const TaskId& task) const;
  // InvalidArgument, with the bound. NotFound: no such task. FailedPrecondition: it has none of
  // these, or no period that is asked for has been published. DataLoss and others: they cannot go
  // on, and why.
  absl::StatusOr<v1::Totals> Get(const v1::GetTotalsRequest& request) const;

 private:
  struct Series {
    std::unique_ptr<PublishedTotals> totals;  // none: it could not be opened
    absl::Status state;
  };
  struct OfTask {
    std::shared_ptr<const Task> task;
    std::map<Quantity, Series> series;
    // Of a closed task: the period in which that was seen, its last.
    std::optional<uint64_t> closed_in;
    int64_t needed = 0;
  };

  explicit TrustedTotals(const Parts& parts) : parts_(parts) {}
  std::string DirectoryOfTask(const TaskId& task) const;
  std::string DirectoryOf(const TaskId& task, Quantity quantity) const;
  absl::Status Load() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LoadTask(const TaskId& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NeedKey(bool make) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AnySealed() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status OpenSeries(Quantity quantity, const OfTask& of_task, Series& series)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Erase(const TaskId& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StepTask(const CatalogEntry& entry, absl::Time now, OfTask& of_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status StepSeries(Quantity quantity, const OfTask& of_task, uint64_t due, bool last,
                          absl::Span<const BatchRecord> batches, Series& series)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::TotalsInfo InfoOf(const OfTask& of_task, Quantity quantity) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Parts parts_;
  mutable Mutex mutex_;
  std::optional<crypto::SealingKey> key_ ABSL_GUARDED_BY(mutex_);
  std::map<TaskId, OfTask> tasks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_TOTALS_TRUSTED_TOTALS_H_
