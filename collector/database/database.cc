#include "collector/database/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "collector/database/new_database.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"

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
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  const absl::Cleanup close = [fd] { ::close(fd); };
  std::vector<char> chunk(size_t{1} << 20);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(fd, chunk.data(), chunk.size(), at);
    if (got == 0) break;
    if (got < 0 || ::pwrite(fd, chunk.data(), static_cast<size_t>(got), at) != got) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path, " again"));
    }
    at += got;
  }
  if (::fsync(fd) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync ", path));
  return absl::OkStatus();
}

absl::Status SyncFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  const absl::Cleanup close = [fd] { ::close(fd); };
  if (::fsync(fd) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync ", path));
  return absl::OkStatus();
}

bool IsMissingOrEmpty(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) != 0 ? errno == ENOENT : info.st_size == 0;
}

std::string VersionSql(const DatabaseFormat& format) {
  return absl::StrCat("PRAGMA user_version=", format.version, ";");
}

std::string ApplicationSql() { return absl::StrCat("PRAGMA application_id=", kApplicationId, ";"); }

absl::Status Make(const std::string& path, const DatabaseFormat& format) {
  const absl::Status made =
      MakeDatabase(path, absl::StrCat(format.schema, VersionSql(format), ApplicationSql()));
  if (made.ok() || absl::IsResourceExhausted(made) || absl::IsInternal(made)) return made;
  return absl::UnavailableError(absl::StrCat("cannot open ", path, ": ", made.message()));
}

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
  const bool fresh = path != kInMemory && IsMissingOrEmpty(path);
  TOMBOLA_RETURN_IF_ERROR(fresh ? Make(path, format) : WriteAgain(absl::StrCat(path, "-wal")));
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) {
    return absl::UnavailableError(absl::StrCat("cannot open ", path, ": ", sqlite3_errstr(code)));
  }
  const absl::Status ready = database.SetUp(path, format, fresh);
  if (!ready.ok()) {
    return absl::Status(ready.code(), absl::StrCat("cannot open ", path, ": ", ready.message()));
  }
  return database;
}

absl::Status Database::SetUp(const std::string& path, const DatabaseFormat& format, bool made) {
  // Before anything is changed: a file that is not ours, or not of our time, stays as it is.
  TOMBOLA_RETURN_IF_ERROR(Execute("PRAGMA busy_timeout=5000"));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t version, Number("PRAGMA user_version"));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t application, Number("PRAGMA application_id"));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t tables, Number("SELECT COUNT(*) FROM sqlite_schema"));
  // Earlier programs made a file in steps, and may have been stopped after the first.
  const bool begun = version == 0 && application == 0 && tables == 0;
  if (!begun && application != kApplicationId) {
    return absl::FailedPreconditionError("it is not a database of Tombola's");
  }
  const bool older = format.convert != nullptr && version == format.version - 1 && version > 0;
  if (!begun && !older && version != format.version) {
    return absl::FailedPreconditionError(
        absl::StrCat("its format version is ", version, ", this program's is ", format.version));
  }
  TOMBOLA_RETURN_IF_ERROR(Execute("PRAGMA journal_mode=WAL; PRAGMA secure_delete=ON;"));
  // SQLite syncs a log's first commit in three steps. Of a file that was made just now nobody has
  // read anything, and one sync below does.
  TOMBOLA_RETURN_IF_ERROR(Execute(made ? "PRAGMA synchronous=OFF" : "PRAGMA synchronous=FULL"));
  {
    TOMBOLA_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*this));
    if (begun) {
      TOMBOLA_RETURN_IF_ERROR(Execute(absl::StrCat(format.schema, VersionSql(format))));
    }
    if (older) {
      TOMBOLA_RETURN_IF_ERROR(format.convert(*this));
      TOMBOLA_RETURN_IF_ERROR(Execute(VersionSql(format)));
    }
    // Written each time, so that the write-ahead log is there before the directory is synced.
    TOMBOLA_RETURN_IF_ERROR(Execute(ApplicationSql()));
    TOMBOLA_RETURN_IF_ERROR(transaction.Commit());
  }
  if (made) {
    TOMBOLA_RETURN_IF_ERROR(Execute("PRAGMA synchronous=FULL"));
    TOMBOLA_RETURN_IF_ERROR(SyncFile(absl::StrCat(path, "-wal")));
  }
  // SQLite syncs the directory of a new log but does not look whether that worked: without its name
  // the log would be gone after a power cut, with everything committed.
  return SyncDirectoryOf(path);
}

absl::StatusOr<int64_t> Database::Number(const std::string& sql) {
  TOMBOLA_ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  TOMBOLA_ASSIGN_OR_RETURN(const bool row, statement.Step());
  TOMBOLA_CHECK(row);
  return statement.Integer(0);
}

absl::Status Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : Failed(code, database_.get());
}

absl::StatusOr<Statement> Database::Prepare(const std::string& sql) {
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
  TOMBOLA_RETURN_IF_ERROR(database.Execute("BEGIN IMMEDIATE"));
  return Transaction(&database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->Execute("ROLLBACK");
}

absl::Status Transaction::Commit() {
  TOMBOLA_RETURN_IF_ERROR(database_->Execute("COMMIT"));
  database_ = nullptr;
  return absl::OkStatus();
}

}  // namespace tombola::collector
