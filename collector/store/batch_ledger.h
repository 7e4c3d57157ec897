// Each batch once: what was counted, durably.
#ifndef TOMBOLA_COLLECTOR_STORE_BATCH_LEDGER_H_
#define TOMBOLA_COLLECTOR_STORE_BATCH_LEDGER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/aggregate/counts.h"
#include "collector/aggregate/rejected_reports.h"
#include "collector/store/part_runs.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"
#include "common/table/count_model.h"

namespace tombola::collector {

enum class BatchState {
  kCounted = 1,
  kQuarantined = 2,  // too few good reports for the task's target: in no answer
  kExpired = 3,      // its key was destroyed before it came: nothing of it was opened
};

// "counted", "quarantined" or "expired".
const char* NameOf(BatchState state);

// What is kept of a batch: its receipt, and what was counted.
struct BatchRecord {
  BatchId batch{};
  BatchKey of;
  BatchState state = BatchState::kCounted;
  crypto::Sha256Digest manifest_digest{};  // of the signed bytes: the same batch again, or another
  int64_t good = 0;                        // reports, fakes included
  RejectedReports rejected;
  // What the counts are of: submissions are the good ones where each is one report, else all that
  // the manifest says.
  mechanism::Tally tally;
  // Submissions that hid each other, before the dishonest share is taken off.
  int64_t users = 0;
  int64_t duplicates = 0;  // submissions that the shuffler recognised, by the manifest
  // When the collector was done with it, kept to the minute; none: not known. It is of the
  // batch, that is of many reports: no report has a time.
  std::optional<absl::Time> finished;
  Counts counts;  // of a counted batch; none of another is kept
};

// What became of a batch that was added.
struct AddedBatch {
  BatchRecord record;
  bool fresh = false;  // false: it was there already
};

// Batches of a task together.
struct TaskTotals {
  int64_t counted_batches = 0;
  int64_t quarantined_batches = 0;
  int64_t expired_batches = 0;
  // Of counted batches:
  int64_t good = 0;  // reports
  mechanism::Tally tally;
  int64_t smallest_batch = 0;  // users of the one that has the fewest
  RejectedReports rejected;
  int64_t duplicates = 0;
  PartRuns parts;
  Counts counts;  // no tables until a batch was counted
  // Of quarantined batches in which something good was found: it is in no answer, and yet the
  // collector has opened it.
  int64_t smallest_quarantined = 0;  // as smallest_batch; of meaning where there are parts
  PartRuns quarantined_parts;
  PartRuns opened_parts;  // these and those of counted batches

  // DataLoss, with nothing added: its counts are not those of the task's tables.
  absl::Status Add(const BatchRecord& record);
};

// A batch and its counts enter as one, so that a crash leaves both or neither, and a batch id
// enters once: whoever delivers it again, at the same time or after a crash, gets the first
// receipt. What was counted is kept as bytes (collector/aggregate/counts.h) that no engine looks
// into. What was changed or lost where it is kept is DataLoss and never left out.
//
// Thread-safe.
class BatchLedger {
 public:
  virtual ~BatchLedger() = default;

  // The record without its counts, or nothing.
  virtual absl::StatusOr<std::optional<BatchRecord>> Find(const BatchId& id) const = 0;
  // Durable when it returns. The record that is there already, as by Find, if the batch came before
  // with the same manifest; AlreadyExists if with another.
  virtual absl::StatusOr<AddedBatch> Add(const BatchRecord& record) = 0;
  // Of all batches of a task; they are at hand, so that an answer does not read every batch. What
  // was returned does not change.
  virtual std::shared_ptr<const TaskTotals> Totals(const TaskId& task) const = 0;
  // Of the batches of some parts, whichever keys they were sealed to. Reads them one by one, and
  // holds nobody up meanwhile: one that is added during the call may be left out. Cancelled:
  // `left`, if there is one, is asked before each and said that nobody waits any more.
  virtual absl::StatusOr<TaskTotals> Sum(const TaskId& task, const PartRange& parts,
                                         const std::function<bool()>& left = nullptr) const = 0;
  // At most `limit` records of a task, without their counts, which are not read: the newest first,
  // those without a time last.
  virtual absl::StatusOr<std::vector<BatchRecord>> Newest(const TaskId& task,
                                                          int64_t limit) const = 0;
  // OK, or why nothing can be read or added before a restart.
  virtual absl::Status State() const = 0;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_STORE_BATCH_LEDGER_H_
