#include "collector/database/whole.h"

#include "absl/strings/str_cat.h"
#include "collector/database/database.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

crypto::Sha256Digest Checksum(const Whole& whole) {
  const crypto::Sha256Digest sum = whole.rows.checksums.Value();
  return RowDigest({AsView(whole.id), whole.commits, whole.rows.number, AsView(sum)});
}

}  // namespace

void Rows::Add(const crypto::Sha256Digest& checksum) {
  ++number;
  checksums.Add(checksum);
}

void Rows::Remove(const crypto::Sha256Digest& checksum) {
  --number;
  checksums.Subtract(checksum);
}

std::string WholeSql(const DatabaseId& id) {
  const Whole whole{.id = id};
  return absl::StrCat(
      "CREATE TABLE whole(only INTEGER PRIMARY KEY CHECK (only = 0), id BLOB NOT NULL, "
      "commits INTEGER NOT NULL, rows INTEGER NOT NULL, checksums BLOB NOT NULL, "
      "checksum BLOB NOT NULL);"
      "INSERT INTO whole VALUES (0, x'",
      ToHex(id), "', 0, 0, zeroblob(32), x'", ToHex(Checksum(whole)), "');");
}

absl::StatusOr<Whole> ReadWhole(Database& database) {
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement row, database.Prepare("SELECT id, commits, rows, checksums, checksum FROM whole"));
  TOMBOLA_ASSIGN_OR_RETURN(const bool found, row.Step());
  const auto damaged = [] { return absl::DataLossError("its table `whole` is damaged"); };
  if (!found) return damaged();
  const auto id = IdFromBytes<DatabaseId>(row.Blob(0));
  const auto sum = IdFromBytes<crypto::Sha256Digest>(row.Blob(3));
  if (!id.has_value() || !sum.has_value()) return damaged();
  Whole whole{.id = *id, .commits = row.Integer(1), .rows = {.number = row.Integer(2)}};
  whole.rows.checksums.Add(*sum);
  if (row.Blob(4) != AsView(Checksum(whole))) return damaged();
  return whole;
}

absl::Status WriteWhole(Database& database, const Whole& whole) {
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement row,
      database.Prepare("UPDATE whole SET commits = ?, rows = ?, checksums = ?, checksum = ?"));
  row.Bind(0, whole.commits);
  row.Bind(1, whole.rows.number);
  row.BindBlob(2, AsView(whole.rows.checksums.Value()));
  row.BindBlob(3, AsView(Checksum(whole)));
  return Database::Run(row);
}

}  // namespace tombola::collector
