// A database file that was not there before.
#ifndef TOMBOLA_COLLECTOR_DATABASE_NEW_DATABASE_H_
#define TOMBOLA_COLLECTOR_DATABASE_NEW_DATABASE_H_

#include <string>

#include "absl/status/status.h"

namespace tombola::collector {

// Makes a database in write-ahead mode from SQL and puts it at the path, where there is no file or
// an empty one. After a crash it is there whole, or not at all; on return it is on disk, with its
// name. Two syncs, where SQLite takes seven to make a file step by step. A log that a lost database
// of this name left is removed, as SQLite does with the log of an empty one.
absl::Status MakeDatabase(const std::string& path, const std::string& sql);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_NEW_DATABASE_H_
