#include "collector/catalog/catalog.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/database/database.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

// id: the digest of bytes. bytes: last, so that a row can be read without them. checksum: RowDigest
// of the other columns. docs/collector-format.md describes the file.
constexpr char kCatalogSchema[] = R"(
  CREATE TABLE tasks(
    position INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, closed INTEGER NOT NULL,
    held_percent INTEGER NOT NULL, expired INTEGER NOT NULL, checksum BLOB NOT NULL,
    bytes BLOB NOT NULL);
  CREATE TABLE version(only INTEGER PRIMARY KEY CHECK (only = 0), number INTEGER NOT NULL,
                       checksum BLOB NOT NULL);
  CREATE TABLE restores(position INTEGER PRIMARY KEY, taken INTEGER NOT NULL,
                        restored INTEGER NOT NULL, tasks INTEGER NOT NULL, checksum BLOB NOT NULL);
)";
constexpr int kCatalogVersion = 5;

absl::Status CatalogDamaged() {
  return absl::DataLossError("the collector's catalogue is damaged");
}

// As the column `closed` has it.
constexpr int64_t kOpen = 0, kClosed = 1, kArchived = 2;

int64_t StageOf(const CatalogEntry& entry) {
  return entry.archived ? kArchived : entry.closed ? kClosed : kOpen;
}

crypto::Sha256Digest Checksum(int64_t position, const CatalogEntry& entry) {
  return RowDigest({position, AsView(entry.task->id()), StageOf(entry), int64_t{entry.held_percent},
                    entry.expired, absl::string_view(entry.task->bytes())});
}

crypto::Sha256Digest VersionChecksum(uint64_t number) {
  return RowDigest({static_cast<int64_t>(number)});
}

crypto::Sha256Digest RestoreChecksum(int64_t position, const CatalogRestore& restore) {
  return RowDigest({position, absl::ToUnixSeconds(restore.taken),
                    absl::ToUnixSeconds(restore.restored), restore.tasks});
}

absl::Status Full(int64_t bytes, int64_t max_bytes) {
  return absl::FailedPreconditionError(absl::StrCat(
      "with this task all tasks of the collector would take ", bytes, " bytes, at most ", max_bytes,
      ": give it fewer or shorter labels, or none (a size), or set up another collector; a task is "
      "kept for good, also when it is closed"));
}

absl::Status Unknown() { return absl::NotFoundError("task_id names no task of this collector"); }

}  // namespace

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Open(const std::string& path, int64_t max_bytes) {
  TOMBOLA_ASSIGN_OR_RETURN(Database database, Database::Open(path, {.version = kCatalogVersion,
                                                                    .schema = kCatalogSchema}));
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(database), max_bytes));
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
  Rows found;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) break;
    CatalogEntry entry;
    auto task = Task::Parse(rows.Blob(1));
    if (!task.ok()) return CatalogDamaged();
    entry.task = *std::move(task);
    entry.closed = rows.Integer(2) != kOpen;
    entry.archived = rows.Integer(2) == kArchived;
    entry.held_percent = static_cast<uint32_t>(rows.Integer(3));
    entry.expired = rows.Integer(4);
    const crypto::Sha256Digest checksum = Checksum(rows.Integer(0), entry);
    if (rows.Blob(5) != AsView(checksum)) return CatalogDamaged();
    found.Add(checksum);
    bytes_ += CatalogBytesOf(entry.task->bytes().size());
    index_.emplace(entry.task->id(), entries_.size());
    entries_.push_back(std::move(entry));
  }
  for (const CatalogEntry& entry : entries_) {
    if (!entry.task->supersedes().has_value()) continue;
    const auto before = index_.find(*entry.task->supersedes());
    if (before == index_.end()) return CatalogDamaged();
    entries_[before->second].superseded_by = entry.task->id();
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement version, database_.Prepare("SELECT number FROM version"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool changed, version.Step());
  if (changed) {
    version_ = static_cast<uint64_t>(version.Integer(0));
    found.Add(VersionChecksum(version_));
  }
  TOMBOLA_RETURN_IF_ERROR(LoadRestores(found));
  return database_.CheckRows(found);
}

absl::Status Catalog::LoadRestores(Rows& found) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement rows,
                           database_.Prepare("SELECT position, taken, restored, tasks, checksum "
                                             "FROM restores ORDER BY position"));
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) return absl::OkStatus();
    const CatalogRestore restore{.taken = absl::FromUnixSeconds(rows.Integer(1)),
                                 .restored = absl::FromUnixSeconds(rows.Integer(2)),
                                 .tasks = rows.Integer(3)};
    const crypto::Sha256Digest checksum = RestoreChecksum(rows.Integer(0), restore);
    if (rows.Blob(4) != AsView(checksum)) return CatalogDamaged();
    found.Add(checksum);
    restores_.push_back(restore);
  }
}

absl::Status Catalog::NoteRestore(absl::Time taken, absl::Time restored) {
  MutexLock lock(mutex_);
  const CatalogRestore restore{.taken = absl::FromUnixSeconds(absl::ToUnixSeconds(taken)),
                               .restored = absl::FromUnixSeconds(absl::ToUnixSeconds(restored)),
                               .tasks = static_cast<int64_t>(entries_.size())};
  const auto position = static_cast<int64_t>(restores_.size()) + 1;
  const uint64_t version = AboveAllSinceACopy(version_, restored);
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  {
    TOMBOLA_ASSIGN_OR_RETURN(Statement row,
                             database_.Prepare("INSERT INTO restores VALUES (?, ?, ?, ?, ?)"));
    const crypto::Sha256Digest checksum = RestoreChecksum(position, restore);
    row.Bind(0, position);
    row.Bind(1, absl::ToUnixSeconds(restore.taken));
    row.Bind(2, absl::ToUnixSeconds(restore.restored));
    row.Bind(3, restore.tasks);
    row.BindBlob(4, AsView(checksum));
    transaction.rows().Add(checksum);
    TOMBOLA_RETURN_IF_ERROR(Database::Run(row));
  }
  TOMBOLA_RETURN_IF_ERROR(WriteVersion(version, transaction));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  version_ = version;
  restores_.push_back(restore);
  return absl::OkStatus();
}

absl::Status Catalog::Write(size_t place, const CatalogEntry& entry, Transaction& transaction) {
  const auto position = static_cast<int64_t>(place) + 1;
  if (place < entries_.size()) {
    // Memory may have another progress than the disk.
    TOMBOLA_ASSIGN_OR_RETURN(Statement before,
                             database_.Prepare("SELECT checksum FROM tasks WHERE position = ?"));
    before.Bind(0, position);
    TOMBOLA_ASSIGN_OR_RETURN(const bool found, before.Step());
    const auto checksum = IdFromBytes<crypto::Sha256Digest>(found ? before.Blob(0) : "");
    if (!checksum.has_value()) return CatalogDamaged();
    transaction.rows().Remove(*checksum);
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement row,
      database_.Prepare("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?)"));
  const crypto::Sha256Digest checksum = Checksum(position, entry);
  row.Bind(0, position);
  row.BindBlob(1, AsView(entry.task->id()));
  row.Bind(2, StageOf(entry));
  row.Bind(3, entry.held_percent);
  row.Bind(4, entry.expired);
  row.BindBlob(5, AsView(checksum));
  row.BindBlob(6, entry.task->bytes());
  transaction.rows().Add(checksum);
  return Database::Run(row);
}

absl::Status Catalog::WriteVersion(uint64_t version, Transaction& transaction) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement row,
                           database_.Prepare("INSERT OR REPLACE INTO version VALUES (0, ?, ?)"));
  const crypto::Sha256Digest checksum = VersionChecksum(version);
  row.Bind(0, static_cast<int64_t>(version));
  row.BindBlob(1, AsView(checksum));
  if (version_ != kFirstVersion) transaction.rows().Remove(VersionChecksum(version_));
  transaction.rows().Add(checksum);
  return Database::Run(row);
}

absl::Status Catalog::CheckName(const std::string& name, absl::Time now,
                                const std::optional<TaskId>& supersedes) const {
  MutexLock lock(mutex_);
  return CheckNameLocked(name, now, supersedes);
}

absl::Status Catalog::CheckNameLocked(const std::string& name, absl::Time now,
                                      const std::optional<TaskId>& supersedes) const {
  for (const CatalogEntry& entry : entries_) {
    if (supersedes == entry.task->id()) continue;
    if (entry.closed || now >= entry.task->not_after() || entry.task->name() != name) continue;
    return absl::AlreadyExistsError(
        absl::StrCat("name is that of an open task, ", ToHex(entry.task->id()),
                     ": choose another, close that one, or ask for the same name (same_name)"));
  }
  return absl::OkStatus();
}

absl::Status Catalog::Add(std::shared_ptr<const Task> task, std::optional<absl::Time> unique_at) {
  MutexLock lock(mutex_);
  if (index_.contains(task->id())) return absl::AlreadyExistsError("the task is there already");
  if (unique_at.has_value()) {
    TOMBOLA_RETURN_IF_ERROR(CheckNameLocked(task->name(), *unique_at, task->supersedes()));
  }
  std::optional<size_t> before;
  if (task->supersedes().has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(before, FindSuperseded(*task));
  }
  const int64_t bytes = bytes_ + CatalogBytesOf(task->bytes().size());
  if (bytes > max_bytes_) return Full(bytes, max_bytes_);
  CatalogEntry entry{.task = std::move(task)};
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_RETURN_IF_ERROR(Write(entries_.size(), entry, transaction));
  std::optional<CatalogEntry> superseded;
  if (before.has_value()) {
    superseded = entries_[*before];
    superseded->closed = true;
    superseded->superseded_by = entry.task->id();
    TOMBOLA_RETURN_IF_ERROR(Write(*before, *superseded, transaction));
  }
  TOMBOLA_RETURN_IF_ERROR(WriteVersion(version_ + 1, transaction));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  bytes_ = bytes;
  if (before.has_value()) entries_[*before] = *std::move(superseded);
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
  TOMBOLA_RETURN_IF_ERROR(Write(it->second, entry, transaction));
  TOMBOLA_RETURN_IF_ERROR(WriteVersion(version_ + 1, transaction));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  ++version_;
  entries_[it->second] = std::move(entry);
  return absl::OkStatus();
}

absl::StatusOr<size_t> Catalog::FindSuperseded(const Task& task) const {
  const auto it = index_.find(*task.supersedes());
  if (it == index_.end()) {
    return absl::InvalidArgumentError("supersedes names no task of this collector");
  }
  const CatalogEntry& before = entries_[it->second];
  if (before.task->kind().name() != task.kind().name()) {
    return absl::InvalidArgumentError(absl::StrCat("supersedes names a task of the kind ",
                                                   before.task->kind().name(), ", not ",
                                                   task.kind().name()));
  }
  if (before.superseded_by.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "supersedes names a task that is superseded already, by ", ToHex(*before.superseded_by)));
  }
  return it->second;
}

absl::Status Catalog::SetArchived(const TaskId& id, bool archived) {
  MutexLock lock(mutex_);
  const auto it = index_.find(id);
  if (it == index_.end()) return Unknown();
  CatalogEntry entry = entries_[it->second];
  if (!entry.closed) {
    return absl::FailedPreconditionError("the task is open: close it before it is archived");
  }
  if (entry.archived == archived) return absl::OkStatus();
  entry.archived = archived;
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_RETURN_IF_ERROR(Write(it->second, entry, transaction));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
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
  TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database_));
  TOMBOLA_RETURN_IF_ERROR(Write(it->second, entry, transaction));
  TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
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

bool Catalog::MayBeShuffler(const std::array<uint8_t, 32>& key) const {
  MutexLock lock(mutex_);
  bool any_open = false, named = entries_.empty();
  for (const CatalogEntry& entry : entries_) {
    const bool same = entry.task->shuffler_key() == key;
    if (same && !entry.closed) return true;
    any_open |= !entry.closed;
    named |= same;
  }
  return !any_open && named;
}

absl::Status Catalog::State() const {
  MutexLock lock(mutex_);
  return database_.state();
}

std::vector<CatalogRestore> Catalog::Restores() const {
  MutexLock lock(mutex_);
  return restores_;
}

std::vector<CatalogRestore> Catalog::RestoresOf(const TaskId& id) const {
  MutexLock lock(mutex_);
  std::vector<CatalogRestore> restores;
  const auto it = index_.find(id);
  if (it == index_.end()) return restores;
  for (const CatalogRestore& restore : restores_) {
    if (static_cast<int64_t>(it->second) < restore.tasks) restores.push_back(restore);
  }
  return restores;
}

uint64_t Catalog::version() const {
  MutexLock lock(mutex_);
  return version_;
}

}  // namespace tombola::collector
