#include "collector/catalog/catalog.h"

#include <utility>

#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

constexpr char kSchema[] = R"(
  CREATE TABLE IF NOT EXISTS tasks(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL,
    closed INTEGER NOT NULL, held_percent INTEGER NOT NULL, expired INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS version(only INTEGER PRIMARY KEY CHECK (only = 0),
                                     number INTEGER NOT NULL);
  INSERT OR IGNORE INTO version VALUES (0, 1);
)";

absl::Status Unknown() { return absl::NotFoundError("task_id names no task of this collector"); }

}  // namespace

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database, Database::Open(path, kSchema));
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(database)));
  TOMBOLA_RETURN_IF_ERROR(catalog->Load());
  return catalog;
}

absl::Status Catalog::Load() {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Statement version, database_.Prepare("SELECT number FROM version"));
  TOMBOLA_RETURN_IF_ERROR(version.Step().status());
  version_ = static_cast<uint64_t>(version.Integer(0));
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows,
      database_.Prepare(
          "SELECT bytes, closed, held_percent, expired FROM tasks ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return absl::OkStatus();
    CatalogEntry entry;
    TOMBOLA_ASSIGN_OR_RETURN(entry.task, Task::Parse(rows.Blob(0)));
    entry.closed = rows.Integer(1) != 0;
    entry.held_percent = static_cast<uint32_t>(rows.Integer(2));
    entry.expired = rows.Integer(3);
    index_.emplace(entry.task->id(), entries_.size());
    entries_.push_back(std::move(entry));
  }
}

absl::Status Catalog::Bump() {
  TOMBOLA_RETURN_IF_ERROR(database_.Execute("UPDATE version SET number = number + 1"));
  return absl::OkStatus();
}

absl::Status Catalog::BumpVersion() {
  MutexLock lock(mutex_);
  TOMBOLA_RETURN_IF_ERROR(Bump());
  ++version_;
  return absl::OkStatus();
}

absl::Status Catalog::Add(std::shared_ptr<const Task> task) {
  MutexLock lock(mutex_);
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement insert,
      database_.Prepare("INSERT INTO tasks(id, bytes, closed, held_percent, expired) "
                        "VALUES (?, ?, 0, 0, 0)"));
  insert.BindBlob(0, AsView(task->id()));
  insert.BindBlob(1, task->bytes());
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  TOMBOLA_RETURN_IF_ERROR(Bump());
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  index_.emplace(task->id(), entries_.size());
  entries_.push_back({.task = std::move(task)});
  return absl::OkStatus();
}

absl::Status Catalog::Close(const TaskId& id) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  if (entries_[it->second].closed) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_ASSIGN_OR_RETURN(Statement update,
                           database_.Prepare("UPDATE tasks SET closed = 1 WHERE id = ?"));
  update.BindBlob(0, AsView(id));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(update));
  TOMBOLA_RETURN_IF_ERROR(Bump());
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  entries_[it->second].closed = true;
  return absl::OkStatus();
}

absl::Status Catalog::SetProgress(const TaskId& id, uint32_t held_percent, int64_t expired) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement update,
      database_.Prepare("UPDATE tasks SET held_percent = ?, expired = ? WHERE id = ?"));
  update.Bind(0, held_percent);
  update.Bind(1, expired);
  update.BindBlob(2, AsView(id));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(update));
  entries_[it->second].held_percent = held_percent;
  entries_[it->second].expired = expired;
  return absl::OkStatus();
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
