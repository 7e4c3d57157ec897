#include "collector/ingest/batch_ledger.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "counts are stored little-endian");

// counts: 8 bytes a value, little-endian; empty for a quarantined batch.
constexpr char kSchema[] = R"(
  CREATE TABLE IF NOT EXISTS batches(
    id BLOB PRIMARY KEY, task BLOB NOT NULL, state INTEGER NOT NULL, manifest BLOB NOT NULL,
    good INTEGER NOT NULL, unopened INTEGER NOT NULL, malformed INTEGER NOT NULL,
    out_of_range INTEGER NOT NULL, submissions INTEGER NOT NULL, fakes INTEGER NOT NULL,
    users INTEGER NOT NULL, counts BLOB NOT NULL) WITHOUT ROWID;
)";
constexpr char kColumns[] =
    "SELECT id, task, state, manifest, good, unopened, malformed, out_of_range, submissions, "
    "fakes, "
    "users";
constexpr int kCountsColumn = 11;

absl::Status Damaged() { return absl::DataLossError("the batch ledger is damaged"); }

absl::StatusOr<BatchRecord> RecordFromRow(const Statement& row) {
  const auto batch = IdFromBytes<BatchId>(row.Blob(0));
  const auto task = IdFromBytes<TaskId>(row.Blob(1));
  const auto manifest = IdFromBytes<crypto::Sha256Digest>(row.Blob(3));
  const auto state = static_cast<BatchState>(row.Integer(2));
  if (!batch.has_value() || !task.has_value() || !manifest.has_value() ||
      (state != BatchState::kCounted && state != BatchState::kQuarantined)) {
    return Damaged();
  }
  BatchRecord record;
  record.batch = *batch;
  record.task = *task;
  record.state = state;
  record.manifest_digest = *manifest;
  record.good = row.Integer(4);
  record.rejected = {
      .unopened = row.Integer(5), .malformed = row.Integer(6), .out_of_range = row.Integer(7)};
  record.tally = {.submissions = row.Integer(8), .fakes = row.Integer(9)};
  record.users = row.Integer(10);
  return record;
}

absl::StatusOr<std::vector<int64_t>> CountsFromBlob(const std::string& blob, BatchState state) {
  const bool counted = state == BatchState::kCounted;
  if (blob.size() % sizeof(int64_t) != 0 || blob.empty() == counted) return Damaged();
  std::vector<int64_t> counts(blob.size() / sizeof(int64_t));
  if (counted) std::memcpy(counts.data(), blob.data(), blob.size());
  return counts;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BatchLedger>> BatchLedger::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database, Database::Open(path, kSchema));
  std::unique_ptr<BatchLedger> ledger(new BatchLedger(std::move(database)));
  TOMBOLA_RETURN_IF_ERROR(ledger->Load());
  return ledger;
}

absl::Status BatchLedger::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows,
                           database_.Prepare(std::string(kColumns) + ", counts FROM batches"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return absl::OkStatus();
    TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, RecordFromRow(rows));
    TOMBOLA_ASSIGN_OR_RETURN(record.counts, CountsFromBlob(rows.Blob(kCountsColumn), record.state));
    AddToTotals(record);
  }
}

void BatchLedger::AddToTotals(const BatchRecord& record) {
  std::shared_ptr<const TaskTotals>& slot = totals_[record.task];
  auto totals =
      slot == nullptr ? std::make_shared<TaskTotals>() : std::make_shared<TaskTotals>(*slot);
  if (record.state == BatchState::kQuarantined) {
    ++totals->quarantined_batches;
  } else {
    ++totals->counted_batches;
    totals->smallest_batch = totals->counted_batches == 1
                                 ? record.users
                                 : std::min(totals->smallest_batch, record.users);
    totals->good += record.good;
    totals->tally.submissions += record.tally.submissions;
    totals->tally.fakes += record.tally.fakes;
    totals->rejected += record.rejected;
    totals->counts.resize(record.counts.size());
    for (size_t i = 0; i < record.counts.size(); ++i) totals->counts[i] += record.counts[i];
  }
  slot = std::move(totals);
}

absl::StatusOr<std::optional<BatchRecord>> BatchLedger::FindLocked(const BatchId& id) const {
  TOMBOLA_ASSIGN_OR_RETURN(Statement row,
                           database_.Prepare(std::string(kColumns) + " FROM batches WHERE id = ?"));
  row.BindBlob(0, AsView(id));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, RecordFromRow(row));
  return record;
}

absl::StatusOr<std::optional<BatchRecord>> BatchLedger::Find(const BatchId& id) const {
  MutexLock lock(mutex_);
  return FindLocked(id);
}

absl::StatusOr<AddedBatch> BatchLedger::Add(const BatchRecord& record) {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_ASSIGN_OR_RETURN(std::optional<BatchRecord> known, FindLocked(record.batch));
  if (known.has_value()) {
    if (known->manifest_digest != record.manifest_digest) {
      return absl::AlreadyExistsError("batch_id was delivered before with another manifest");
    }
    return AddedBatch{.record = *std::move(known), .fresh = false};
  }
  const absl::string_view counts(reinterpret_cast<const char*>(record.counts.data()),
                                 record.counts.size() * sizeof(int64_t));
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement insert,
      database_.Prepare("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  insert.BindBlob(0, AsView(record.batch));
  insert.BindBlob(1, AsView(record.task));
  insert.Bind(2, static_cast<int64_t>(record.state));
  insert.BindBlob(3, AsView(record.manifest_digest));
  insert.Bind(4, record.good);
  insert.Bind(5, record.rejected.unopened);
  insert.Bind(6, record.rejected.malformed);
  insert.Bind(7, record.rejected.out_of_range);
  insert.Bind(8, record.tally.submissions);
  insert.Bind(9, record.tally.fakes);
  insert.Bind(10, record.users);
  insert.BindBlob(kCountsColumn, counts);
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  AddToTotals(record);
  return AddedBatch{.record = record, .fresh = true};
}

std::shared_ptr<const TaskTotals> BatchLedger::Totals(const TaskId& task) const {
  MutexLock lock(mutex_);
  const auto it = totals_.find(task);
  return it == totals_.end() ? std::make_shared<const TaskTotals>() : it->second;
}

}  // namespace tombola::collector
