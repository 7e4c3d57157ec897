// The batch ledger of one machine: a SQLite file.
#ifndef TOMBOLA_COLLECTOR_STORE_SQLITE_LEDGER_H_
#define TOMBOLA_COLLECTOR_STORE_SQLITE_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/database/database.h"
#include "collector/store/batch_ledger.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// Every batch is on disk with a checksum, and all of them with one more: a row that was changed or
// lost on the medium is DataLoss when the ledger is opened, and so is a transaction that the
// write-ahead log has lost. The totals of tasks are kept in memory. docs/collector-format.md
// describes the file.
class SqliteLedger final : public BatchLedger {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteLedger>> Open(const std::string& path);

  absl::StatusOr<std::optional<BatchRecord>> Find(const BatchId& id) const override;
  absl::StatusOr<AddedBatch> Add(const BatchRecord& record) override;
  std::shared_ptr<const TaskTotals> Totals(const TaskId& task) const override;
  absl::StatusOr<TaskTotals> Sum(const TaskId& task, const PartRange& parts,
                                 const std::function<bool()>& left) const override;
  absl::StatusOr<std::vector<BatchRecord>> Newest(const TaskId& task, int64_t limit) const override;
  // As Database::state.
  absl::Status State() const override;

 private:
  explicit SqliteLedger(Database database) : database_(std::move(database)) {}

  absl::Status Load();
  absl::StatusOr<std::optional<BatchRecord>> FindLocked(const BatchId& id) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The batch in this row, with its counts.
  absl::StatusOr<BatchRecord> ReadAt(int64_t row) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The totals with this batch, to be put in their place once it is on disk.
  absl::StatusOr<std::shared_ptr<const TaskTotals>> With(const BatchRecord& record) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  mutable Database database_ ABSL_GUARDED_BY(mutex_);
  // Replaced as a whole, so that an answer can go on reading the one it took.
  absl::flat_hash_map<TaskId, std::shared_ptr<const TaskTotals>> totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_STORE_SQLITE_LEDGER_H_
