#include "collector/catalog/catalog.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/database/row_digest.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// id: the digest of bytes. checksum: RowDigest of the columns before it. docs/collector-format.md
// describes the file.
constexpr char kSchema[] = R"(
  CREATE TABLE tasks(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL,
    closed INTEGER NOT NULL, held_percent INTEGER NOT NULL, expired INTEGER NOT NULL,
    checksum BLOB NOT NULL);
  CREATE TABLE version(only INTEGER PRIMARY KEY CHECK (only = 0), number INTEGER NOT NULL,
                       tasks INTEGER NOT NULL);
  INSERT INTO version VALUES (0, 1, 0);
)";

absl::Status Damaged() { return absl::DataLossError("the collector's catalogue is damaged"); }

crypto::Sha256Digest Checksum(int64_t position, const CatalogEntry& entry) {
  return RowDigest({position, AsView(entry.task->id()), absl::string_view(entry.task->bytes()),
                    int64_t{entry.closed}, int64_t{entry.held_percent}, entry.expired});
}

absl::Status Unknown() { return absl::NotFoundError("task_id names no task of this collector"); }

}  // namespace

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database,
                           Database::Open(path, {.version = 1, .schema = kSchema}));
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(database)));
  const absl::Status loaded = catalog->Load();
  if (!loaded.ok()) {
    return absl::Status(loaded.code(), absl::StrCat(path, ": ", loaded.message()));
  }
  return catalog;
}

absl::Status Catalog::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows, database_.Prepare("SELECT position, bytes, closed, held_percent, expired, "
                                        "checksum FROM tasks ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) break;
    CatalogEntry entry;
    auto task = Task::Parse(rows.Blob(1));
    if (!task.ok()) return Damaged();
    entry.task = *std::move(task);
    entry.closed = rows.Integer(2) != 0;
    entry.held_percent = static_cast<uint32_t>(rows.Integer(3));
    entry.expired = rows.Integer(4);
    if (rows.Blob(5) != AsView(Checksum(rows.Integer(0), entry))) return Damaged();
    index_.emplace(entry.task->id(), entries_.size());
    entries_.push_back(std::move(entry));
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement version,
                           database_.Prepare("SELECT number, tasks FROM version"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, version.Step());
  if (!found || version.Integer(1) != static_cast<int64_t>(entries_.size())) return Damaged();
  version_ = static_cast<uint64_t>(version.Integer(0));
  return absl::OkStatus();
}

absl::Status Catalog::Write(size_t place, const CatalogEntry& entry) {
  const auto position = static_cast<int64_t>(place) + 1;
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement row,
      database_.Prepare("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?)"));
  row.Bind(0, position);
  row.BindBlob(1, AsView(entry.task->id()));
  row.BindBlob(2, entry.task->bytes());
  row.Bind(3, entry.closed);
  row.Bind(4, entry.held_percent);
  row.Bind(5, entry.expired);
  row.BindBlob(6, AsView(Checksum(position, entry)));
  return Database::Run(row);
}

absl::Status Catalog::WriteVersion(size_t tasks) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement row,
                           database_.Prepare("UPDATE version SET number = ?, tasks = ?"));
  row.Bind(0, static_cast<int64_t>(version_ + 1));
  row.Bind(1, static_cast<int64_t>(tasks));
  return Database::Run(row);
}

absl::Status Catalog::Add(std::shared_ptr<const Task> task) {
  MutexLock lock(mutex_);
  if (index_.contains(task->id())) return absl::AlreadyExistsError("the task is there already");
  CatalogEntry entry{.task = std::move(task)};
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_RETURN_IF_ERROR(Write(entries_.size(), entry));
  TOMBOLA_RETURN_IF_ERROR(WriteVersion(entries_.size() + 1));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  index_.emplace(entry.task->id(), entries_.size());
  entries_.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status Catalog::Close(const TaskId& id) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  CatalogEntry entry = entries_[it->second];
  if (entry.closed) return absl::OkStatus();
  entry.closed = true;
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_RETURN_IF_ERROR(Write(it->second, entry));
  TOMBOLA_RETURN_IF_ERROR(WriteVersion(entries_.size()));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  entries_[it->second] = std::move(entry);
  return absl::OkStatus();
}

absl::Status Catalog::SetProgress(const TaskId& id, uint32_t held_percent, int64_t expired) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  CatalogEntry entry = entries_[it->second];
  entry.held_percent = held_percent;
  entry.expired = expired;
  TOMBOLA_RETURN_IF_ERROR(Write(it->second, entry));
  entries_[it->second] = std::move(entry);
  return absl::OkStatus();
}

void Catalog::NothingHeld(const TaskId& id) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it != index_.end()) entries_[it->second].held_percent = 0;
}

absl::StatusOr<CatalogEntry> Catalog::Find(const TaskId& id) const {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  return entries_[it->second];
}

std::vector<CatalogEntry> Catalog::Tasks() const {
  MutexLock lock(mutex_);
  return entries_;
}

uint64_t Catalog::version() const {
  MutexLock lock(mutex_);
  return version_;
}

}  // namespace tombola::collector
