#include <sqlite3.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "collector/database/database.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

struct FinishBackup {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

absl::Status Failed(const std::string& from, const std::string& to, sqlite3* database) {
  return absl::UnavailableError(
      absl::StrCat("cannot copy ", from, " to ", to, ": ", sqlite3_errmsg(database)));
}

// One step, in one read transaction of the source: a whole state, whoever writes meanwhile.
absl::Status CopyPages(sqlite3* from, sqlite3* to, const std::string& names) {
  const std::unique_ptr<sqlite3_backup, FinishBackup> backup(
      sqlite3_backup_init(to, "main", from, "main"));
  if (backup == nullptr || sqlite3_backup_step(backup.get(), -1) != SQLITE_DONE) {
    return absl::UnavailableError(absl::StrCat("cannot copy ", names, ": ", sqlite3_errmsg(to)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Database::Copy(const std::string& from, const std::string& to) {
  TOMBOLA_ASSIGN_OR_RETURN(const Mark mark, Mark::Open(absl::StrCat(from, ".mark")));
  sqlite3 *source_handle = nullptr, *target_handle = nullptr;
  const int opened = sqlite3_open_v2(from.c_str(), &source_handle, SQLITE_OPEN_READWRITE, nullptr);
  Database source(from, source_handle);
  if (opened != SQLITE_OK) return Failed(from, to, source_handle);
  // If the process that writes it ends meanwhile, its log is not ours to clear away.
  source.CheckpointOnClose(false);
  TOMBOLA_RETURN_IF_ERROR(source.Execute("PRAGMA busy_timeout=5000; PRAGMA query_only=ON;"));
  const int made = sqlite3_open_v2(to.c_str(), &target_handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  Database target(to, target_handle);
  if (made != SQLITE_OK) return Failed(from, to, target_handle);
  TOMBOLA_RETURN_IF_ERROR(CopyPages(source_handle, target_handle, absl::StrCat(from, " to ", to)));
  const absl::StatusOr<Whole> whole = ReadWhole(target);
  if (!whole.ok()) {
    return absl::Status(whole.status().code(), absl::StrCat(from, ": ", whole.status().message()));
  }
  if (whole->id != mark.database() || whole->commits < mark.commits()) {
    return absl::DataLossError(absl::StrCat(from, " has ", whole->commits,
                                            " transactions, and its mark said ", mark.commits(),
                                            " before"));
  }
  return Mark::Make(absl::StrCat(to, ".mark"), whole->id, whole->commits).status();
}

}  // namespace tombola::collector
