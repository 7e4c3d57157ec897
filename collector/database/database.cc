#include "collector/database/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"

namespace tombola::collector {
namespace {

constexpr absl::string_view kInMemory = ":memory:";
constexpr int kApplicationId = 0x544d424c;  // "TMBL": what `file` and SQLite's tools show

absl::Status Failed(int code, sqlite3* database) {
  const std::string message = absl::StrCat("database: ", sqlite3_errmsg(database));
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(message);
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(message);
    case SQLITE_CONSTRAINT: {
      const int kind = sqlite3_extended_errcode(database);
      const bool exists = kind == SQLITE_CONSTRAINT_PRIMARYKEY || kind == SQLITE_CONSTRAINT_UNIQUE;
      return exists ? absl::AlreadyExistsError(message) : absl::InternalError(message);
    }
    default:
      return absl::UnavailableError(message);
  }
}

// Writes the log that an earlier process left once more and syncs it. After a sync that failed the
// system takes the bytes for written though they are in its memory only: a commit that is read from
// there, and all that follow it in the log, would be gone after a power cut.
absl::Status WriteAgain(const std::string& path) {
  const absl::StatusOr<File> file = File::OpenToWrite(path);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(file.status());
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file->Size());
  std::vector<uint8_t> chunk;
  for (int64_t at = 0; at < size; at += static_cast<int64_t>(chunk.size())) {
    chunk.resize(static_cast<size_t>(std::min(size - at, int64_t{1} << 20)));
    TOMBOLA_RETURN_IF_ERROR(file->ReadAt(at, absl::MakeSpan(chunk)));
    TOMBOLA_RETURN_IF_ERROR(file->WriteAt(at, chunk));
  }
  return file->Sync();
}

bool IsMissingOrEmpty(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) != 0 ? errno == ENOENT : info.st_size == 0;
}

std::string MarkOf(const std::string& path) { return absl::StrCat(path, ".mark"); }
std::string LogOf(const std::string& path) { return absl::StrCat(path, "-wal"); }

std::string NewSql(const DatabaseFormat& format, const DatabaseId& id) {
  return absl::StrCat(format.schema, WholeSql(id), "PRAGMA user_version=", format.version,
                      ";PRAGMA application_id=", kApplicationId, ";");
}

DatabaseId DrawId() {
  DatabaseId id;
  sqlite3_randomness(static_cast<int>(id.size()), id.data());
  return id;
}

constexpr absl::string_view kRemedy =
    "put the files back as they were, or restore a backup (docs/operate.md)";

// The mark first: one that says 0 beside no database is what a crash in between leaves.
absl::Status Make(const std::string& path, const DatabaseFormat& format) {
  const absl::StatusOr<Mark> old = Mark::Open(MarkOf(path));
  if (old.ok() && old->commits() > 0) {
    return absl::DataLossError(absl::StrCat(path, " is missing or empty, though ", MarkOf(path),
                                            " says that it had ", old->commits(),
                                            " transactions: ", kRemedy));
  }
  if (!old.ok() && !absl::IsNotFound(old.status())) return old.status();
  const DatabaseId id = DrawId();
  absl::Status made = Mark::Make(MarkOf(path), id, 0).status();
  if (made.ok()) made = MakeDatabase(path, NewSql(format, id));
  if (made.ok() || absl::IsResourceExhausted(made) || absl::IsInternal(made)) return made;
  return absl::UnavailableError(absl::StrCat("cannot open ", path, ": ", made.message()));
}

// SQLite's commit hook: what is not zero turns a commit into a rollback.
int RefuseUnless(void* committing) { return *static_cast<const bool*>(committing) ? 0 : 1; }

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

void Statement::Bind(int parameter, int64_t value) {
  TOMBOLA_CHECK(sqlite3_bind_int64(statement_.get(), parameter + 1, value) == SQLITE_OK);
}

void Statement::BindBlob(int parameter, absl::string_view value) {
  // SQLite takes a null pointer, which an empty view may have, for NULL and not for no bytes.
  const char* const data = value.empty() ? "" : value.data();
  TOMBOLA_CHECK(sqlite3_bind_blob64(statement_.get(), parameter + 1, data, value.size(),
                                    SQLITE_TRANSIENT) == SQLITE_OK);
}

absl::StatusOr<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Failed(code, sqlite3_db_handle(statement_.get()));
}

int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::Blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == 0) return "";
  return std::string(static_cast<const char*>(data), static_cast<size_t>(bytes));
}

absl::StatusOr<Database> Database::Open(const std::string& path, const DatabaseFormat& format) {
  const bool in_memory = path == kInMemory;
  const bool fresh = !in_memory && IsMissingOrEmpty(path);
  if (!in_memory) TOMBOLA_RETURN_IF_ERROR(fresh ? Make(path, format) : WriteAgain(LogOf(path)));
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(path, handle);
  if (code != SQLITE_OK) {
    return absl::UnavailableError(absl::StrCat("cannot open ", path, ": ", sqlite3_errstr(code)));
  }
  database.made_ = fresh;
  absl::Status ready =
      in_memory ? database.Execute(NewSql(format, DrawId())) : database.Inspect(format);
  if (ready.ok()) ready = database.SetUp();
  if (!ready.ok()) {
    return absl::Status(ready.code(), absl::StrCat("cannot open ", path, ": ", ready.message()));
  }
  return database;
}

absl::Status Database::Inspect(const DatabaseFormat& format) {
  // SQLite would move what it takes for the whole log into the file and remove the log: what is
  // refused stays as it is, for whoever can mend it.
  CheckpointOnClose(false);
  TOMBOLA_RETURN_IF_ERROR(Execute("PRAGMA busy_timeout=5000"));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t version, Number("PRAGMA user_version"));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t application, Number("PRAGMA application_id"));
  if (application != kApplicationId) {
    return absl::FailedPreconditionError("it is not a database of Tombola's");
  }
  if (version != format.version) {
    return absl::FailedPreconditionError(
        absl::StrCat("its format version is ", version, ", this program's is ", format.version));
  }
  TOMBOLA_RETURN_IF_ERROR(CompareWithMark());
  return CheckPages();
}

absl::Status Database::CompareWithMark() {
  absl::StatusOr<Mark> mark = Mark::Open(MarkOf(path_));
  if (absl::IsNotFound(mark.status())) {
    return absl::DataLossError(absl::StrCat(
        MarkOf(path_), ", which says how many transactions it has, is missing: ", kRemedy));
  }
  TOMBOLA_RETURN_IF_ERROR(mark.status());
  TOMBOLA_ASSIGN_OR_RETURN(const Whole whole, ReadWhole(*this));
  if (whole.id != mark->database()) {
    return absl::DataLossError(absl::StrCat(MarkOf(path_), " is of another database: ", kRemedy));
  }
  const int64_t missing = mark->commits() - whole.commits;
  if (missing > 0) {
    return absl::DataLossError(
        absl::StrCat("it has ", whole.commits, " transactions, and ", MarkOf(path_), " says ",
                     mark->commits(), ": the last ", missing, " are lost, most likely because ",
                     LogOf(path_), " is damaged, cut short or missing: ", kRemedy));
  }
  // A crash can come between a commit and its mark, and no second commit before the mark.
  if (missing < -1) {
    return absl::DataLossError(absl::StrCat("it has ", whole.commits, " transactions, and ",
                                            MarkOf(path_), " says ", mark->commits(),
                                            ": the two are of different times: ", kRemedy));
  }
  mark_.emplace(*std::move(mark));
  return absl::OkStatus();
}

absl::Status Database::CheckPages() {
  // Also that every index finds every row: checksums are of rows alone.
  TOMBOLA_ASSIGN_OR_RETURN(Statement check, Prepare("PRAGMA integrity_check(1)"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool row, check.Step());
  const std::string found = row ? check.Blob(0) : "nothing";
  if (found == "ok") return absl::OkStatus();
  // SQLite says it in several lines.
  return absl::DataLossError(
      absl::StrCat("it is damaged: ", absl::StrReplaceAll(found, {{"\n", " "}})));
}

absl::Status Database::SetUp() {
  TOMBOLA_RETURN_IF_ERROR(
      Execute("PRAGMA journal_mode=WAL; PRAGMA secure_delete=ON; PRAGMA synchronous=FULL;"));
  sqlite3_commit_hook(database_.get(), RefuseUnless, committing_.get());
  return absl::OkStatus();
}

void Database::CheckpointOnClose(bool wanted) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, wanted ? 0 : 1, nullptr);
}

absl::Status Database::PrepareToWrite() {
  if (prepared_) return absl::OkStatus();
  if (mark_.has_value()) {
    // SQLite syncs a log's first commit in three steps. Of a file that was made just now nobody has
    // read anything, and one sync below does.
    if (made_) TOMBOLA_RETURN_IF_ERROR(Execute("PRAGMA synchronous=OFF"));
    absl::StatusOr<Transaction> first = Transaction::BeginPrepared(*this);
    absl::Status written = first.status();
    int64_t commits = 0;
    if (written.ok()) {
      commits = first->whole_.commits + 1;
      // A crash may have come before the mark of the last one, or before its log had a name.
      written = SyncDirectoryOf(path_);
      if (written.ok()) written = mark_->Raise(commits - 1);
    }
    if (written.ok()) written = first->CommitWithoutMark();
    TOMBOLA_RETURN_IF_ERROR(written);
    written = Execute("PRAGMA synchronous=FULL");
    if (written.ok()) written = SyncFile(LogOf(path_));
    // SQLite syncs the directory of a new log but does not look whether that worked: without its
    // name the log would be gone after a power cut, with everything committed.
    if (written.ok()) written = SyncDirectoryOf(path_);
    if (!written.ok()) return GiveUp(written);  // a second sync would not write what the first lost
    TOMBOLA_RETURN_IF_ERROR(RaiseMark(commits));
  }
  CheckpointOnClose(true);
  prepared_ = true;
  return absl::OkStatus();
}

absl::Status Database::Commit() {
  *committing_ = true;
  const absl::Status committed = Execute("COMMIT");
  *committing_ = false;
  return committed;
}

absl::Status Database::RaiseMark(int64_t commits) {
  if (!mark_.has_value()) return absl::OkStatus();
  const absl::Status raised = mark_->Raise(commits);
  return raised.ok() ? raised : GiveUp(raised);
}

absl::Status Database::GiveUp(const absl::Status& why) {
  state_ = absl::UnavailableError(absl::StrCat(
      why.message(), ": nothing more is read or written here until the collector starts again"));
  return state_;
}

absl::Status Database::CheckRows(const Rows& rows) {
  TOMBOLA_ASSIGN_OR_RETURN(const Whole whole, ReadWhole(*this));
  if (whole.rows.number == rows.number && whole.rows.checksums.Value() == rows.checksums.Value()) {
    return absl::OkStatus();
  }
  return absl::DataLossError("a row is missing, or of another time than the others");
}

absl::StatusOr<int64_t> Database::Number(const std::string& sql) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  TOMBOLA_ASSIGN_OR_RETURN(const bool row, statement.Step());
  TOMBOLA_CHECK(row);
  return statement.Integer(0);
}

absl::Status Database::Execute(const std::string& sql) {
  TOMBOLA_RETURN_IF_ERROR(state_);
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Failed(code, database_.get());
}

absl::StatusOr<Statement> Database::Prepare(const std::string& sql) {
  TOMBOLA_RETURN_IF_ERROR(state_);
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return Failed(code, database_.get());
  return Statement(statement);
}

absl::Status Database::Run(Statement& statement) {
  const absl::StatusOr<bool> row = statement.Step();
  TOMBOLA_RETURN_IF_ERROR(row.status());
  TOMBOLA_CHECK(!*row);
  return absl::OkStatus();
}

absl::StatusOr<Transaction> Transaction::Begin(Database& database) {
  TOMBOLA_RETURN_IF_ERROR(database.PrepareToWrite());
  return BeginPrepared(database);
}

absl::StatusOr<Transaction> Transaction::BeginPrepared(Database& database) {
  TOMBOLA_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  Transaction transaction(&database, {});
  TOMBOLA_ASSIGN_OR_RETURN(transaction.whole_, ReadWhole(database));
  return transaction;
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), whole_(other.whole_) {}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->Execute("ROLLBACK");
}

absl::Status Transaction::CommitWithoutMark() {
  ++whole_.commits;
  TOMBOLA_RETURN_IF_ERROR(WriteWhole(*database_, whole_));
  TOMBOLA_RETURN_IF_ERROR(database_->Commit());
  database_ = nullptr;
  return absl::OkStatus();
}

absl::Status Transaction::Commit() {
  Database* const database = database_;
  TOMBOLA_RETURN_IF_ERROR(CommitWithoutMark());
  return database->RaiseMark(whole_.commits);
}

}  // namespace tombola::collector
