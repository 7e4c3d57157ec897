// What a database says of itself as a whole.
#ifndef TOMBOLA_COLLECTOR_DATABASE_WHOLE_H_
#define TOMBOLA_COLLECTOR_DATABASE_WHOLE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/database/mark.h"
#include "common/crypto/report_digest.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {

class Database;

// The rows of a database together: their number, and the sum of their checksums. It tells a row
// that was lost, and one that is right but of an older time.
struct Rows {
  int64_t number = 0;
  crypto::DigestSum checksums;

  void Add(const crypto::Sha256Digest& checksum);
  void Remove(const crypto::Sha256Digest& checksum);
};

// One row, in the table `whole`, that changes with every transaction.
struct Whole {
  DatabaseId id{};
  int64_t commits = 0;  // transactions there ever were
  Rows rows;
};

// SQL that makes the table, for a database without rows.
std::string WholeSql(const DatabaseId& id);
// DataLoss: the row is missing or damaged.
absl::StatusOr<Whole> ReadWhole(Database& database);
absl::Status WriteWhole(Database& database, const Whole& whole);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_WHOLE_H_
