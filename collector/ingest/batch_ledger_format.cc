#include "collector/ingest/batch_ledger_format.h"

#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "collector/database/row_digest.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {
namespace {

// The index finds the newest batches of a task. With rowids, because without them SQLite keeps rows
// in an index and reads all of one, counts included, to find it.
constexpr char kBatches[] = R"(
  CREATE TABLE batches(
    id BLOB PRIMARY KEY NOT NULL, task BLOB NOT NULL, state INTEGER NOT NULL, manifest BLOB NOT NULL,
    good INTEGER NOT NULL, unopened INTEGER NOT NULL, malformed INTEGER NOT NULL,
    out_of_range INTEGER NOT NULL, submissions INTEGER NOT NULL, fakes INTEGER NOT NULL,
    users INTEGER NOT NULL, finished INTEGER NOT NULL, quality BLOB NOT NULL,
    checksum BLOB NOT NULL, counts BLOB NOT NULL);
  CREATE INDEX batches_by_time ON batches(task, finished);
)";
constexpr char kWhole[] = R"(
  CREATE TABLE whole(only INTEGER PRIMARY KEY CHECK (only = 0), batches INTEGER NOT NULL,
    checksums BLOB NOT NULL);
  INSERT INTO whole VALUES (0, 0, zeroblob(32));
)";

absl::Status Damaged() {
  return absl::DataLossError("the batch ledger, of format version 1, is damaged");
}

// A row of version 1 in version 2: its two checksums.
struct Checksums {
  crypto::Sha256Digest before{};
  crypto::Sha256Digest after{};
};

constexpr int kIntegers = 7;  // good to users, columns 4 to 10

absl::StatusOr<Checksums> CopyRow(const Statement& row, Statement& insert) {
  const std::string id = row.Blob(0), task = row.Blob(1), manifest = row.Blob(3);
  const std::string counts = row.Blob(11), quality = row.Blob(12);
  const int64_t state = row.Integer(2);
  std::array<int64_t, kIntegers> n{};
  for (int i = 0; i < kIntegers; ++i) n[static_cast<size_t>(i)] = row.Integer(4 + i);
  Checksums checksums;
  checksums.before = RowDigest(
      {id, task, state, manifest, n[0], n[1], n[2], n[3], n[4], n[5], n[6], counts, quality});
  if (row.Blob(13) != AsView(checksums.before)) return Damaged();
  constexpr int64_t kNotKnown = 0;
  checksums.after = RowDigest({id, task, state, manifest, n[0], n[1], n[2], n[3], n[4], n[5], n[6],
                               kNotKnown, quality, counts});
  insert.BindBlob(0, id);
  insert.BindBlob(1, task);
  insert.Bind(2, state);
  insert.BindBlob(3, manifest);
  for (int i = 0; i < kIntegers; ++i) insert.Bind(4 + i, n[static_cast<size_t>(i)]);
  insert.Bind(11, kNotKnown);
  insert.BindBlob(12, quality);
  insert.BindBlob(13, AsView(checksums.after));
  insert.BindBlob(14, counts);
  TOMBOLA_RETURN_IF_ERROR(Database::Run(insert));
  return checksums;
}

// What `whole` must have said, and what it says from now on.
struct Sums {
  int64_t batches = 0;
  crypto::DigestSum before;
  crypto::DigestSum after;
};

absl::StatusOr<Sums> CopyRows(Database& database) {
  TOMBOLA_ASSIGN_OR_RETURN(
      Statement rows,
      database.Prepare("SELECT id, task, state, manifest, good, unopened, malformed, out_of_range, "
                       "submissions, fakes, users, counts, quality, checksum FROM batches_1"));
  Sums sums;
  while (true) {
    TOMBOLA_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return sums;
    TOMBOLA_ASSIGN_OR_RETURN(
        Statement insert,
        database.Prepare(
            "INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
    TOMBOLA_ASSIGN_OR_RETURN(const Checksums checksums, CopyRow(rows, insert));
    ++sums.batches;
    sums.before.Add(checksums.before);
    sums.after.Add(checksums.after);
  }
}

}  // namespace

std::string BatchLedgerSchema() { return absl::StrCat(kBatches, kWhole); }

absl::Status ConvertBatchLedgerFromVersion1(Database& database) {
  TOMBOLA_RETURN_IF_ERROR(database.Execute("ALTER TABLE batches RENAME TO batches_1"));
  TOMBOLA_RETURN_IF_ERROR(database.Execute(kBatches));
  TOMBOLA_ASSIGN_OR_RETURN(const Sums sums, CopyRows(database));
  {
    TOMBOLA_ASSIGN_OR_RETURN(Statement whole,
                             database.Prepare("SELECT batches, checksums FROM whole"));
    TOMBOLA_ASSIGN_OR_RETURN(const bool found, whole.Step());
    if (!found || whole.Integer(0) != sums.batches ||
        whole.Blob(1) != AsView(sums.before.Value())) {
      return Damaged();
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(Statement update, database.Prepare("UPDATE whole SET checksums = ?"));
  update.BindBlob(0, AsView(sums.after.Value()));
  TOMBOLA_RETURN_IF_ERROR(Database::Run(update));
  return database.Execute("DROP TABLE batches_1");
}

}  // namespace tombola::collector
