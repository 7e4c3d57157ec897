// How far a database has come, kept outside of it.
#ifndef TOMBOLA_COLLECTOR_DATABASE_MARK_H_
#define TOMBOLA_COLLECTOR_DATABASE_MARK_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/disk/file.h"

namespace tombola::collector {

// Of one database file; drawn when it is made.
using DatabaseId = std::array<uint8_t, 16>;

// A small file beside a database with the number of its last acknowledged transaction. SQLite reads
// a write-ahead log up to the first frame that is not right and is silent about the rest: whoever
// compares the database with its mark notices what is missing.
//
// The file has two slots, each with a checksum and a page of its own, which are written in turn:
// after a crash in the middle of one the other says the number before. docs/collector-format.md
// describes it. Not thread-safe.
class Mark {
 public:
  // A new one, whole and on disk on return, in place of whatever was there.
  static absl::StatusOr<Mark> Make(const std::string& path, const DatabaseId& database,
                                   int64_t commits);
  // NotFound: there is none. DataLoss: neither slot is right, or they are of two databases.
  static absl::StatusOr<Mark> Open(const std::string& path);

  const DatabaseId& database() const { return database_; }
  int64_t commits() const { return commits_; }

  // On disk when it returns OK. It never falls. What was read from the file counts as not yet on
  // disk: a sync may have failed after it was written.
  absl::Status Raise(int64_t commits);

 private:
  Mark(File file, const DatabaseId& database, int64_t commits)
      : file_(std::move(file)), database_(database), commits_(commits) {}

  File file_;
  DatabaseId database_;
  int64_t commits_;
  bool synced_ = false;  // by this object
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_MARK_H_
