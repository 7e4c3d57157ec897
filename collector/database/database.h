// SQLite, in the few verbs that the collector needs.
#ifndef TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_
#define TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tombola::collector {

// A prepared statement. Parameters and columns count from 0.
class Statement {
 public:
  void Bind(int parameter, int64_t value);
  void BindBlob(int parameter, absl::string_view value);

  // True: there is a row to read. False: the statement is done.
  absl::StatusOr<bool> Step();
  int64_t Integer(int column) const;
  std::string Blob(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database;

// What a file of one kind holds.
struct DatabaseFormat {
  int version = 1;     // from 1; stands in the file (PRAGMA user_version)
  std::string schema;  // SQL that makes the tables of a new file
  // Turns the tables of the version before this one into this one's, inside a transaction: after a
  // crash the file is of one version or of the other. None: the version before is refused.
  std::function<absl::Status(Database&)> convert;
};

// A database file. What a transaction has committed is on disk (write-ahead log, synchronous=FULL);
// what it deletes is overwritten. Not thread-safe: whoever owns it guards it.
class Database {
 public:
  // Made as a whole if it is missing or empty. DataLoss: damaged.
  // FailedPrecondition: of another format version. Errors name the path. The path ":memory:" is no
  // file: for tests.
  static absl::StatusOr<Database> Open(const std::string& path, const DatabaseFormat& format);

  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Runs a prepared statement that gives no rows.
  static absl::Status Run(Statement& statement);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}

  // made: the file is new.
  absl::Status SetUp(const std::string& path, const DatabaseFormat& format, bool made);
  absl::StatusOr<int64_t> Number(const std::string& sql);

  std::unique_ptr<sqlite3, Close> database_;
};

// Everything between its construction and Commit happens as a whole, or not at all.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  absl::Status Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}

  Database* database_;  // null once committed
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_
