// Each batch once: what was counted, on disk.
#ifndef TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_H_
#define TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/database/database.h"
#include "collector/ingest/batch_quality.h"
#include "collector/open/opening.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/crypto/report_digest.h"
#include "common/crypto/sha256.h"
#include "common/mechanism/count_model.h"

namespace tombola::collector {

enum class BatchState {
  kCounted = 1,
  kQuarantined = 2,  // too few good reports for the task's target: in no answer
  kExpired = 3,      // its key was destroyed before it came: nothing of it was opened
};

// "counted", "quarantined" or "expired".
const char* NameOf(BatchState state);

// What is kept of a batch.
struct BatchRecord {
  BatchId batch{};
  TaskId task{};
  BatchState state = BatchState::kCounted;
  crypto::Sha256Digest manifest_digest{};  // of the signed bytes: the same batch again, or another
  int64_t good = 0;                        // reports, fakes included
  RejectedReports rejected;
  // What the counts are of: submissions are the good ones where each is one report, else all that
  // the manifest says.
  mechanism::Tally tally;
  // Submissions that hid each other, before the dishonest share is taken off.
  int64_t users = 0;
  // When the collector was done with it, kept to the minute; none of a batch of an older file. It
  // is of the batch, that is of many reports: no report has a time.
  std::optional<absl::Time> finished;
  std::vector<int64_t> counts;  // of a counted batch; none of another is kept
  BatchQuality quality;
};

// What became of a batch that was added.
struct AddedBatch {
  BatchRecord record;
  bool fresh = false;  // false: it was there already
};

// All batches of a task together.
struct TaskTotals {
  int64_t counted_batches = 0;
  int64_t quarantined_batches = 0;
  int64_t expired_batches = 0;
  int64_t good = 0;             // reports in counted batches
  mechanism::Tally tally;       // of counted batches
  int64_t smallest_batch = 0;   // users of the counted batch that has the fewest
  RejectedReports rejected;     // in counted batches
  std::vector<int64_t> counts;  // empty until a batch was counted
  BatchQuality quality;         // of counted batches
};

// A batch and its counts enter in one transaction, so that a crash leaves both or neither, and a
// batch id enters once. Every batch is on disk with a checksum, and all of them with one more: a
// row that was changed or lost on the medium is DataLoss when the ledger is opened, never left out.
// Sums are kept in memory, so that an answer does not read every batch. Thread-safe.
class BatchLedger {
 public:
  static absl::StatusOr<std::unique_ptr<BatchLedger>> Open(const std::string& path);

  // The record without its counts, or nothing.
  absl::StatusOr<std::optional<BatchRecord>> Find(const BatchId& id) const;
  // On disk when it returns. The record that is there already, as by Find, if the batch came before
  // with the same manifest; AlreadyExists if with another.
  absl::StatusOr<AddedBatch> Add(const BatchRecord& record);
  std::shared_ptr<const TaskTotals> Totals(const TaskId& task) const;
  // At most `limit` records of a task, without their counts, which are not read: the newest first,
  // those without a time last.
  absl::StatusOr<std::vector<BatchRecord>> Newest(const TaskId& task, int64_t limit) const;

 private:
  explicit BatchLedger(Database database) : database_(std::move(database)) {}

  absl::Status Load();
  absl::StatusOr<std::optional<BatchRecord>> FindLocked(const BatchId& id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddToTotals(const BatchRecord& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  mutable Database database_ ABSL_GUARDED_BY(mutex_);
  // What the file says of itself as a whole.
  int64_t batches_ ABSL_GUARDED_BY(mutex_) = 0;
  crypto::DigestSum checksums_ ABSL_GUARDED_BY(mutex_);
  // Replaced as a whole, so that an answer can go on reading the one it took.
  absl::flat_hash_map<TaskId, std::shared_ptr<const TaskTotals>> totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_BATCH_LEDGER_H_
