#include "collector/store/sqlite_ledger.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "collector/database/database.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// part: 8 bytes, big-endian, so that a range of parts is one of the index. finished: Unix seconds,
// a whole minute; 0: not known. counts: opaque, empty unless the batch is counted; last, so that a
// row can be read without them. checksum: RowDigest of the other columns. The indexes find the
// newest batches of a task and those of some parts. With rowids, because without them SQLite keeps
// rows in an index and reads all of one, counts included, to find it.
constexpr char kSchema[] = R"(
  CREATE TABLE batches(
    id BLOB PRIMARY KEY NOT NULL, task BLOB NOT NULL, key BLOB NOT NULL, part BLOB NOT NULL,
    state INTEGER NOT NULL, manifest BLOB NOT NULL, good INTEGER NOT NULL,
    unopened INTEGER NOT NULL, malformed INTEGER NOT NULL, out_of_range INTEGER NOT NULL,
    submissions INTEGER NOT NULL, fakes INTEGER NOT NULL, users INTEGER NOT NULL,
    duplicates INTEGER NOT NULL, finished INTEGER NOT NULL, checksum BLOB NOT NULL,
    counts BLOB NOT NULL);
  CREATE INDEX batches_by_time ON batches(task, finished);
  CREATE INDEX batches_by_part ON batches(task, part);
)";
constexpr int kVersion = 5;
constexpr char kColumnsWithoutCounts[] =
    "SELECT id, task, key, part, state, manifest, good, unopened, malformed, out_of_range, "
    "submissions, fakes, users, duplicates, finished, checksum";
constexpr char kInsert[] =
    "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
enum ColumnNumber {
  kId,
  kTask,
  kKey,
  kPart,
  kState,
  kManifest,
  kGood,
  kUnopened,
  kMalformed,
  kOutOfRange,
  kSubmissions,
  kFakes,
  kUsers,
  kDuplicates,
  kFinished,
  kChecksum,
  kCounts,
};
constexpr int64_t kMinute = 60;

std::string WithCounts(absl::string_view condition) {
  return absl::StrCat(kColumnsWithoutCounts, ", counts FROM batches ", condition);
}

absl::Status Damaged() { return absl::DataLossError("the batch ledger is damaged"); }

int64_t FinishedOnDisk(const BatchRecord& record) {
  if (!record.finished.has_value()) return 0;
  const int64_t seconds = absl::ToUnixSeconds(*record.finished);
  return std::max<int64_t>(0, seconds - seconds % kMinute);
}

crypto::Sha256Digest Checksum(const BatchRecord& record, absl::string_view counts) {
  const PartBytes part = ToPartBytes(record.of.part);
  return RowDigest({AsView(record.batch), AsView(record.of.task), AsView(record.of.key),
                    AsView(part), static_cast<int64_t>(record.state),
                    AsView(record.manifest_digest), record.good, record.rejected.unopened,
                    record.rejected.malformed, record.rejected.out_of_range,
                    record.tally.submissions, record.tally.fakes, record.users, record.duplicates,
                    FinishedOnDisk(record), counts});
}

// All but counts and checksum.
absl::StatusOr<BatchRecord> ReadRecord(const Statement& row) {
  const auto batch = IdFromBytes<BatchId>(row.Blob(kId));
  const auto task = IdFromBytes<TaskId>(row.Blob(kTask));
  const auto key = IdFromBytes<KeyId>(row.Blob(kKey));
  const auto part = IdFromBytes<PartBytes>(row.Blob(kPart));
  const auto manifest = IdFromBytes<crypto::Sha256Digest>(row.Blob(kManifest));
  const auto state = static_cast<BatchState>(row.Integer(kState));
  const int64_t finished = row.Integer(kFinished);
  if (!batch.has_value() || !task.has_value() || !key.has_value() || !part.has_value() ||
      !manifest.has_value() || state < BatchState::kCounted || state > BatchState::kExpired ||
      finished < 0 || finished % kMinute != 0) {
    return Damaged();
  }
  BatchRecord record;
  record.batch = *batch;
  record.of = {.task = *task, .key = *key, .part = FromPartBytes(*part)};
  record.state = state;
  record.manifest_digest = *manifest;
  record.good = row.Integer(kGood);
  record.rejected = {.unopened = row.Integer(kUnopened),
                     .malformed = row.Integer(kMalformed),
                     .out_of_range = row.Integer(kOutOfRange)};
  record.tally = {.submissions = row.Integer(kSubmissions), .fakes = row.Integer(kFakes)};
  record.users = row.Integer(kUsers);
  record.duplicates = row.Integer(kDuplicates);
  if (finished != 0) record.finished = absl::FromUnixSeconds(finished);
  return record;
}

// A row with its counts and its checksum, which is compared.
struct Row {
  BatchRecord record;
  crypto::Sha256Digest checksum{};
};

absl::StatusOr<Row> ReadRow(const Statement& row) {
  TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, ReadRecord(row));
  const std::string counts = row.Blob(kCounts);
  const crypto::Sha256Digest checksum = Checksum(record, counts);
  if (row.Blob(kChecksum) != AsView(checksum)) return Damaged();
  if (counts.empty() == (record.state == BatchState::kCounted)) return Damaged();
  if (!counts.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(record.counts, CountsFromBytes(counts));
  }
  return Row{.record = std::move(record), .checksum = checksum};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteLedger>> SqliteLedger::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(path, {.version = kVersion, .schema = kSchema}));
  std::unique_ptr<SqliteLedger> ledger(new SqliteLedger(std::move(database)));
  const absl::Status loaded = ledger->Load();
  if (!loaded.ok()) {
    return absl::Status(loaded.code(), absl::StrCat(path, ": ", loaded.message()));
  }
  return ledger;
}

absl::Status SqliteLedger::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows, database_.Prepare(WithCounts("")));
  absl::flat_hash_map<TaskId, std::shared_ptr<TaskTotals>> totals;
  Rows found;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    TOMBOLA_ASSIGN_OR_RETURN(const Row row, ReadRow(rows));
    found.Add(row.checksum);
    std::shared_ptr<TaskTotals>& of_task = totals[row.record.of.task];
    if (of_task == nullptr) of_task = std::make_shared<TaskTotals>();
    TOMBOLA_RETURN_IF_ERROR(of_task->Add(row.record));
  }
  for (auto& [task, of_task] : totals) totals_[task] = std::move(of_task);
  return database_.CheckRows(found);
}

absl::StatusOr<std::shared_ptr<const TaskTotals>> SqliteLedger::With(
    const BatchRecord& record) const {
  const auto slot = totals_.find(record.of.task);
  auto totals = slot == totals_.end() ? std::make_shared<TaskTotals>()
                                      : std::make_shared<TaskTotals>(*slot->second);
  TOMBOLA_RETURN_IF_ERROR(totals->Add(record));
  return totals;
}

absl::StatusOr<std::optional<BatchRecord>> SqliteLedger::FindLocked(const BatchId& id) const {
  TOMBOLA_ASSIGN_OR_RETURN(Statement statement, database_.Prepare(WithCounts("WHERE id = ?")));
  statement.BindBlob(0, AsView(id));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (!found) return std::nullopt;
  TOMBOLA_ASSIGN_OR_RETURN(Row row, ReadRow(statement));
  row.record.counts = {};
  return std::move(row.record);
}

absl::StatusOr<std::optional<BatchRecord>> SqliteLedger::Find(const BatchId& id) const {
  MutexLock lock(mutex_);
  return FindLocked(id);
}

absl::StatusOr<AddedBatch> SqliteLedger::Add(const BatchRecord& record) {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_ASSIGN_OR_RETURN(std::optional<BatchRecord> known, FindLocked(record.batch));
  if (known.has_value()) {
    if (known->manifest_digest != record.manifest_digest) {
      return absl::AlreadyExistsError("batch_id was delivered before with another manifest");
    }
    return AddedBatch{.record = *std::move(known), .fresh = false};
  }
  TOMBOLA_ASSIGN_OR_RETURN(std::shared_ptr<const TaskTotals> totals, With(record));
  const std::string counts =
      record.state == BatchState::kCounted ? ToBytes(record.counts) : std::string();
  const PartBytes part = ToPartBytes(record.of.part);
  const crypto::Sha256Digest checksum = Checksum(record, counts);
  TOMBOLA_ASSIGN_OR_RETURN(Statement insert, database_.Prepare(kInsert));
  insert.BindBlob(kId, AsView(record.batch));
  insert.BindBlob(kTask, AsView(record.of.task));
  insert.BindBlob(kKey, AsView(record.of.key));
  insert.BindBlob(kPart, AsView(part));
  insert.Bind(kState, static_cast<int64_t>(record.state));
  insert.BindBlob(kManifest, AsView(record.manifest_digest));
  insert.Bind(kGood, record.good);
  insert.Bind(kUnopened, record.rejected.unopened);
  insert.Bind(kMalformed, record.rejected.malformed);
  insert.Bind(kOutOfRange, record.rejected.out_of_range);
  insert.Bind(kSubmissions, record.tally.submissions);
  insert.Bind(kFakes, record.tally.fakes);
  insert.Bind(kUsers, record.users);
  insert.Bind(kDuplicates, record.duplicates);
  insert.Bind(kFinished, FinishedOnDisk(record));
  insert.BindBlob(kChecksum, AsView(checksum));
  insert.BindBlob(kCounts, counts);
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  transaction.rows().Add(checksum);
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  totals_[record.of.task] = std::move(totals);
  return AddedBatch{.record = record, .fresh = true};
}

std::shared_ptr<const TaskTotals> SqliteLedger::Totals(const TaskId& task) const {
  MutexLock lock(mutex_);
  const auto it = totals_.find(task);
  return it == totals_.end() ? std::make_shared<const TaskTotals>() : it->second;
}

absl::StatusOr<TaskTotals> SqliteLedger::Sum(const TaskId& task, const PartRange& parts,
                                             const std::function<bool()>& left) const {
  const PartBytes first = ToPartBytes(parts.first), last = ToPartBytes(parts.last);
  std::vector<int64_t> found;
  std::vector<PartRange> missing;
  {
    MutexLock lock(mutex_);
    const auto all = totals_.find(task);
    missing = (all == totals_.end() ? PartRuns() : all->second->parts).MissingFrom(parts);
    TOMBOLA_ASSIGN_OR_RETURN(
        Statement rows,
        database_.Prepare("SELECT rowid FROM batches WHERE task = ? AND part BETWEEN ? AND ?"));
    rows.BindBlob(0, AsView(task));
    rows.BindBlob(1, AsView(first));
    rows.BindBlob(2, AsView(last));
    while (true) {
      TOMBOLA_ASSIGN_OR_RETURN(const bool more, rows.Step());
      if (!more) break;
      found.push_back(rows.Integer(0));
    }
  }
  TaskTotals totals;
  for (const int64_t row : found) {
    if (left && left()) return absl::CancelledError("nobody waits for the sum any more");
    TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, ReadAt(row));
    TOMBOLA_RETURN_IF_ERROR(totals.Add(record));
  }
  // A row that the index has lost would else be left out without a word.
  if (totals.parts.MissingFrom(parts) != missing) return Damaged();
  return totals;
}

absl::StatusOr<BatchRecord> SqliteLedger::ReadAt(int64_t row_number) const {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows, database_.Prepare(WithCounts("WHERE rowid = ?")));
  rows.Bind(0, row_number);
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, rows.Step());
  if (!found) return Damaged();
  TOMBOLA_ASSIGN_OR_RETURN(Row row, ReadRow(rows));
  return std::move(row.record);
}

absl::StatusOr<std::vector<BatchRecord>> SqliteLedger::Newest(const TaskId& task,
                                                              int64_t limit) const {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows,
      database_.Prepare(
          absl::StrCat(kColumnsWithoutCounts,
                       " FROM batches WHERE task = ? ORDER BY finished DESC, rowid DESC LIMIT ?")));
  rows.BindBlob(0, AsView(task));
  rows.Bind(1, std::max<int64_t>(0, limit));
  std::vector<BatchRecord> records;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return records;
    TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, ReadRecord(rows));
    records.push_back(std::move(record));
  }
}

absl::Status SqliteLedger::State() const {
  MutexLock lock(mutex_);
  return database_.state();
}

}  // namespace tombola::collector
