// SQLite, in the few verbs that the collector needs.
#ifndef TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_
#define TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/variant.h"
#include "collector/database/mark.h"
#include "collector/database/whole.h"
#include "common/crypto/sha256.h"

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

// What a file of one kind holds.
struct DatabaseFormat {
  int version = 1;     // from 1; stands in the file (PRAGMA user_version)
  std::string schema;  // SQL that makes the tables of a new file, without rows
};

using Column = absl::variant<int64_t, absl::string_view>;

// A checksum over the columns of a row: SHA-256 over them in their order: an integer as 8 bytes, a
// blob as its length in 8 bytes and its bytes, both little-endian. SQLite checks the form of its
// pages and not what they hold; this tells a row that the medium has changed. It is no secret and
// stops no forger.
crypto::Sha256Digest RowDigest(std::initializer_list<Column> columns);

// A database file and its mark. What a transaction has committed is on disk (write-ahead log,
// synchronous=FULL), and the mark says so: a file that has lost a transaction, for whatever reason,
// does not open. What is deleted is overwritten. A file that is only read stays as it is, byte for
// byte, and so does one that is refused. Not thread-safe: whoever owns it guards it.
class Database {
 public:
  // Made as a whole if it is missing or empty and its mark says that it never had a transaction.
  // DataLoss: damaged, or behind its mark, or one of the two is missing; the message says which
  // file, what is missing and what to do. FailedPrecondition: of another format version. The path
  // ":memory:" is no file: for tests.
  static absl::StatusOr<Database> Open(const std::string& path, const DatabaseFormat& format);

  // Copies the database to a new file with a mark of its own, as it is between two transactions:
  // nobody who writes it is held up, and this or another process may. On disk when it returns.
  // DataLoss: what it read has not come as far as the mark had before. Errors name the path.
  static absl::Status Copy(const std::string& from, const std::string& to);

  // Reads. What writes outside of a Transaction is refused when it commits.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Runs a prepared statement that gives no rows.
  static absl::Status Run(Statement& statement);

  // DataLoss: these are not the rows that the transactions have left.
  absl::Status CheckRows(const Rows& rows);
  // Unavailable, for ever: the mark of a transaction could not be written. Whoever asked for it was
  // not told that it happened, though it has, so that nothing here is known for sure until the
  // process starts again; every other call fails the same way.
  const absl::Status& state() const { return state_; }

 private:
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Database(std::string path, sqlite3* database) : path_(std::move(path)), database_(database) {}

  absl::Status Inspect(const DatabaseFormat& format);
  absl::Status CompareWithMark();
  absl::Status CheckPages();
  absl::Status SetUp();
  // Before the first transaction: the log and its name are on disk.
  absl::Status PrepareToWrite();
  absl::Status Commit();
  absl::Status RaiseMark(int64_t commits);
  // What is committed is not known to be on disk: nothing more until the database is opened again.
  absl::Status GiveUp(const absl::Status& why);
  void CheckpointOnClose(bool wanted);
  absl::StatusOr<int64_t> Number(const std::string& sql);

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
  std::optional<Mark> mark_;  // none in memory
  bool made_ = false;         // just now
  bool prepared_ = false;
  std::unique_ptr<bool> committing_ = std::make_unique<bool>(false);  // SQLite has its address
  absl::Status state_;
};

// Everything between its construction and Commit happens as a whole, or not at all.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;

  // What the database holds after this transaction: every row that it adds, changes or removes is
  // to be told here.
  Rows& rows() { return whole_.rows; }

  // OK: it is on disk, and the mark too.
  absl::Status Commit();

 private:
  friend class Database;
  Transaction(Database* database, const Whole& whole) : database_(database), whole_(whole) {}

  static absl::StatusOr<Transaction> BeginPrepared(Database& database);
  absl::Status CommitWithoutMark();

  Database* database_;  // null once committed
  Whole whole_;
};

// Makes a database in write-ahead mode from SQL and puts it at the path, where there is no file or
// an empty one. After a crash it is there whole, or not at all; on return it is on disk, with its
// name. Two syncs, where SQLite takes seven to make a file step by step. A log that a lost database
// of this name left is removed, as SQLite does with the log of an empty one.
absl::Status MakeDatabase(const std::string& path, const std::string& sql);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_DATABASE_H_
