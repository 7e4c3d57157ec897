#include "collector/ingest/batch_ledger.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/database/row_digest.h"
#include "collector/ingest/batch_ledger_format.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "counts are stored little-endian");

// finished: Unix seconds, a whole minute; 0: not known. quality: batch_quality.h. counts: 8 bytes a
// value, little-endian; empty unless the batch is counted; last, so that a row can be read without
// them. checksum: RowDigest of the other columns. `whole` has the number of batches and the sum of
// their checksums, so that a row that is missing is noticed too. docs/collector-format.md describes
// the file.
constexpr char kColumns[] =
    "SELECT id, task, state, manifest, good, unopened, malformed, out_of_range, submissions, "
    "fakes, users, finished, quality, checksum, counts FROM batches";
constexpr char kColumnsWithoutCounts[] =
    "SELECT id, task, state, manifest, good, unopened, malformed, out_of_range, submissions, "
    "fakes, users, finished, quality FROM batches";
constexpr int kFinishedColumn = 11;
constexpr int kQualityColumn = 12;
constexpr int kChecksumColumn = 13;
constexpr int kCountsColumn = 14;
constexpr int64_t kMinute = 60;

absl::Status Damaged() { return absl::DataLossError("the batch ledger is damaged"); }

int64_t FinishedOnDisk(const BatchRecord& record) {
  if (!record.finished.has_value()) return 0;
  const int64_t seconds = absl::ToUnixSeconds(*record.finished);
  return std::max<int64_t>(0, seconds - seconds % kMinute);
}

crypto::Sha256Digest Checksum(const BatchRecord& record, absl::string_view counts,
                              absl::string_view quality) {
  return RowDigest({AsView(record.batch), AsView(record.task), static_cast<int64_t>(record.state),
                    AsView(record.manifest_digest), record.good, record.rejected.unopened,
                    record.rejected.malformed, record.rejected.out_of_range,
                    record.tally.submissions, record.tally.fakes, record.users,
                    FinishedOnDisk(record), quality, counts});
}

absl::StatusOr<std::vector<int64_t>> CountsFromBlob(const std::string& blob, BatchState state) {
  const bool counted = state == BatchState::kCounted;
  if (blob.size() % sizeof(int64_t) != 0 || blob.empty() == counted) return Damaged();
  std::vector<int64_t> counts(blob.size() / sizeof(int64_t));
  if (counted) std::memcpy(counts.data(), blob.data(), blob.size());
  return counts;
}

// All but counts and checksum.
absl::StatusOr<BatchRecord> ReadRecord(const Statement& row) {
  const auto batch = IdFromBytes<BatchId>(row.Blob(0));
  const auto task = IdFromBytes<TaskId>(row.Blob(1));
  const auto manifest = IdFromBytes<crypto::Sha256Digest>(row.Blob(3));
  const auto state = static_cast<BatchState>(row.Integer(2));
  const int64_t finished = row.Integer(kFinishedColumn);
  if (!batch.has_value() || !task.has_value() || !manifest.has_value() ||
      state < BatchState::kCounted || state > BatchState::kExpired || finished < 0 ||
      finished % kMinute != 0) {
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
  if (finished != 0) record.finished = absl::FromUnixSeconds(finished);
  TOMBOLA_ASSIGN_OR_RETURN(record.quality, BatchQualityFromBytes(row.Blob(kQualityColumn)));
  return record;
}

// A row with its counts and its checksum, which is compared.
struct Row {
  BatchRecord record;
  crypto::Sha256Digest checksum{};
};

absl::StatusOr<Row> ReadRow(const Statement& row) {
  TOMBOLA_ASSIGN_OR_RETURN(BatchRecord record, ReadRecord(row));
  const std::string counts = row.Blob(kCountsColumn);
  const crypto::Sha256Digest checksum = Checksum(record, counts, row.Blob(kQualityColumn));
  if (row.Blob(kChecksumColumn) != AsView(checksum)) return Damaged();
  TOMBOLA_ASSIGN_OR_RETURN(record.counts, CountsFromBlob(counts, record.state));
  return Row{.record = std::move(record), .checksum = checksum};
}

}  // namespace

const char* NameOf(BatchState state) {
  switch (state) {
    case BatchState::kCounted:
      return "counted";
    case BatchState::kQuarantined:
      return "quarantined";
    case BatchState::kExpired:
      return "expired";
  }
  return "";
}

absl::StatusOr<std::unique_ptr<BatchLedger>> BatchLedger::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(path, {.version = kBatchLedgerVersion,
                                                 .schema = BatchLedgerSchema(),
                                                 .convert = ConvertBatchLedgerFromVersion1}));
  std::unique_ptr<BatchLedger> ledger(new BatchLedger(std::move(database)));
  const absl::Status loaded = ledger->Load();
  if (!loaded.ok()) {
    return absl::Status(loaded.code(), absl::StrCat(path, ": ", loaded.message()));
  }
  return ledger;
}

absl::Status BatchLedger::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows, database_.Prepare(kColumns));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    TOMBOLA_ASSIGN_OR_RETURN(const Row row, ReadRow(rows));
    ++batches_;
    checksums_.Add(row.checksum);
    AddToTotals(row.record);
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement whole,
                           database_.Prepare("SELECT batches, checksums FROM whole"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, whole.Step());
  if (!found || whole.Integer(0) != batches_ || whole.Blob(1) != AsView(checksums_.Value())) {
    return absl::DataLossError("the batch ledger is damaged: a batch is missing or strange");
  }
  return absl::OkStatus();
}

void BatchLedger::AddToTotals(const BatchRecord& record) {
  std::shared_ptr<const TaskTotals>& slot = totals_[record.task];
  auto totals =
      slot == nullptr ? std::make_shared<TaskTotals>() : std::make_shared<TaskTotals>(*slot);
  if (record.state == BatchState::kQuarantined) {
    ++totals->quarantined_batches;
  } else if (record.state == BatchState::kExpired) {
    ++totals->expired_batches;
  } else {
    ++totals->counted_batches;
    totals->smallest_batch = totals->counted_batches == 1
                                 ? record.users
                                 : std::min(totals->smallest_batch, record.users);
    totals->good += record.good;
    totals->tally.submissions += record.tally.submissions;
    totals->tally.fakes += record.tally.fakes;
    totals->rejected += record.rejected;
    totals->quality += record.quality;
    totals->counts.resize(record.counts.size());
    for (size_t i = 0; i < record.counts.size(); ++i) totals->counts[i] += record.counts[i];
  }
  slot = std::move(totals);
}

absl::StatusOr<std::optional<BatchRecord>> BatchLedger::FindLocked(const BatchId& id) const {
  TOMBOLA_ASSIGN_OR_RETURN(Statement statement,
                           database_.Prepare(absl::StrCat(kColumns, " WHERE id = ?")));
  statement.BindBlob(0, AsView(id));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (!found) return std::nullopt;
  TOMBOLA_ASSIGN_OR_RETURN(Row row, ReadRow(statement));
  row.record.counts.clear();
  return std::move(row.record);
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
      database_.Prepare(
          "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
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
  insert.Bind(kFinishedColumn, FinishedOnDisk(record));
  insert.BindBlob(kCountsColumn, counts);
  const std::string quality = ToBytes(record.quality);
  insert.BindBlob(kQualityColumn, quality);
  const crypto::Sha256Digest checksum = Checksum(record, counts, quality);
  insert.BindBlob(kChecksumColumn, AsView(checksum));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  crypto::DigestSum checksums = checksums_;
  checksums.Add(checksum);
  TOMBOLA_ASSIGN_OR_RETURN(Statement whole,
                           database_.Prepare("UPDATE whole SET batches = ?, checksums = ?"));
  whole.Bind(0, batches_ + 1);
  whole.BindBlob(1, AsView(checksums.Value()));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(whole));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++batches_;
  checksums_ = checksums;
  AddToTotals(record);
  return AddedBatch{.record = record, .fresh = true};
}

absl::StatusOr<std::vector<BatchRecord>> BatchLedger::Newest(const TaskId& task,
                                                             int64_t limit) const {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows,
      database_.Prepare(absl::StrCat(
          kColumnsWithoutCounts, " WHERE task = ? ORDER BY finished DESC, rowid DESC LIMIT ?")));
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

std::shared_ptr<const TaskTotals> BatchLedger::Totals(const TaskId& task) const {
  MutexLock lock(mutex_);
  const auto it = totals_.find(task);
  return it == totals_.end() ? std::make_shared<const TaskTotals>() : it->second;
}

}  // namespace tombola::collector
