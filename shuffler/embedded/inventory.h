// What the store has, in memory: tasks, what is held, what waits in the outbox, the counters.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_INVENTORY_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_INVENTORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "shuffler/embedded/counters_file.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/outbox/batch_record.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

struct TaskShape {
  int64_t sealed_bytes = 0;                // of one sealed report
  int64_t max_reports_per_submission = 0;  // a submission with more is rejected
};

// What is on its way out: to the outbox, to nowhere, or from a period to its nodes.
struct Leaving {
  BatchKey of;
  std::vector<LogInfo> logs;
  Amounts amounts;
  bool for_period = false;
};

// A submission is at every moment in exactly one place: waiting, leaving, in the outbox, or over.
// Every change of place is one call, so counters never show one in two places or in none. Touches
// no disk.
//
// Thread-safe.
class Inventory {
 public:
  // --- tasks ---
  // FailedPrecondition: the task is there with another shape.
  absl::Status AddTask(const TaskId& task, const TaskShape& shape);
  // NotFound: never added.
  absl::StatusOr<TaskShape> Shape(const TaskId& task) const;

  // --- after a restart, in this order ---
  void RecoverCounters(const TaskId& task, const CountersRecord& record);
  void RecoverBatch(const BatchRecord& record);
  // DataLoss: the logs of a task disagree about the size of a report, or those of a period about
  // how many nodes cover it.
  absl::Status RecoverLog(const LogInfo& log);

  // --- the committer's ---
  // Grows with every call.
  uint64_t NextSequence(const TaskId& task);
  // `nodes`: that each submission is in, of a stream; else 0.
  void Committed(const BatchKey& of, size_t nodes, const Amounts& amounts);
  // Everything that waits under the key, or for the period, begins to leave; `open` are the logs
  // that were just closed. FailedPrecondition: nothing waits, or something is leaving already.
  absl::StatusOr<Leaving> Detach(const BatchKey& of, bool for_period,
                                 const std::vector<LogInfo>& open);
  // Whether Detach would succeed.
  absl::Status CanDetach(const BatchKey& of, bool for_period) const;

  // --- what is leaving: exactly one of these, or none if its fate on disk is in doubt ---
  void Return(const Leaving& leaving);
  void Released(const Leaving& leaving, const BatchRecord& record);
  // Over becomes AfterDestroy.
  void Destroyed(const Leaving& leaving);
  // What was held for a period is held in these logs of its nodes. Over becomes AfterScatter.
  void Scattered(const Leaving& leaving, const std::vector<LogInfo>& nodes);

  // --- the outbox ---
  std::vector<Manifest> Outbox() const;
  // NotFound: no such batch.
  absl::StatusOr<BatchRecord> Batch(const BatchId& batch) const;
  // Over becomes AfterErase.
  void Erased(const BatchRecord& record, BatchEnd end);

  // --- how much there is: constant time ---
  Load LoadOf(const TaskId& task) const;
  Load LoadOfAll() const;

  // --- counters ---
  std::vector<HeldInfo> Held() const;
  TaskCounters Counters(const TaskId& task) const;
  // What belongs into the counters file now.
  CountersRecord Over(const TaskId& task) const;
  // The files of ended logs are gone, durably.
  void Removed(const TaskId& task, const std::vector<uint64_t>& sequences);
  // Windows before this one are forgotten, durably.
  void Forgot(const TaskId& task, uint32_t window);
  // Tasks with duplicates that neither a log nor the counters file has.
  std::vector<TaskId> Unsaved() const;
  void Saved(const TaskId& task);

 private:
  struct HeldKey {
    std::vector<LogInfo> closed;     // logs that take no more
    Amounts waiting;                 // in the closed logs and in the open one
    std::optional<Amounts> leaving;  // nothing: nothing is leaving
    int64_t batches = 1;             // that a submission is in
  };
  using HeldKeys = std::map<BatchKey, HeldKey>;
  struct Task {
    std::optional<TaskShape> shape;
    CountersRecord over;
    bool unsaved = false;
    Load load;
  };

  // Every change of what is kept: `sign` is 1 or -1. What is held for a period has bytes for the
  // copy that Scatter will make.
  void CountHeld(const TaskId& task, int64_t sign, int64_t reports, bool for_period)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountOutbox(const BatchRecord& record, int64_t sign) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Count(const TaskId& task, const Load& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const HeldKeys& Keys(bool for_period) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return for_period ? periods_ : held_;
  }
  HeldKeys& Keys(bool for_period) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return for_period ? periods_ : held_;
  }
  // What was leaving is gone from its place.
  void Left(const Leaving& leaving) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CanDetachLocked(const BatchKey& of, bool for_period) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<TaskId, Task> tasks_ ABSL_GUARDED_BY(mutex_);
  HeldKeys held_ ABSL_GUARDED_BY(mutex_);
  HeldKeys periods_ ABSL_GUARDED_BY(mutex_);  // what waits for Scatter
  std::map<BatchId, BatchRecord> outbox_ ABSL_GUARDED_BY(mutex_);
  Load load_ ABSL_GUARDED_BY(mutex_);  // the sum of the tasks'
};

// What a task's counters become when a batch is erased or held logs are destroyed: the file says so
// before the inventory does.
CountersRecord AfterErase(CountersRecord over, const BatchRecord& record, BatchEnd end);
CountersRecord AfterDestroy(CountersRecord over, const Leaving& leaving);
// A period is scattered: nothing is over but its logs.
CountersRecord AfterScatter(CountersRecord over, const Leaving& leaving);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_INVENTORY_H_
