#include "collector/database/database.h"

#include <sqlite3.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

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

absl::StatusOr<Database> Database::Open(const std::string& path, const std::string& schema) {
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (code != SQLITE_OK) {
    return absl::UnavailableError(absl::StrCat("cannot open ", path, ": ", sqlite3_errstr(code)));
  }
  const absl::Status ready = database.Execute(
      absl::StrCat("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"
                   "PRAGMA busy_timeout=5000;",
                   schema));
  if (!ready.ok()) {
    return absl::Status(ready.code(), absl::StrCat("cannot open ", path, ": ", ready.message()));
  }
  return database;
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
