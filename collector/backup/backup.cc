#include "collector/backup/backup.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "collector/backup/manifest.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_store.h"
#include "collector/data_directory.h"
#include "collector/database/database.h"
#include "collector/store/sqlite_ledger.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/file_digest.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"
#include "common/metrics/process.h"

namespace tombola::collector {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kManifest = "backup";

std::string In(const std::string& directory, absl::string_view name) {
  return absl::StrCat(directory, "/", name);
}

absl::Status MakeNewDirectory(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) == 0) return absl::OkStatus();
  if (errno == EEXIST) return absl::AlreadyExistsError(absl::StrCat(path, " is there already"));
  return DiskError("make", path);
}

bool IsWithin(const std::string& path, const std::string& directory) {
  std::error_code ignored;  // what cannot be resolved cannot be made either
  const fs::path inner = fs::weakly_canonical(path, ignored);
  const fs::path outer = fs::weakly_canonical(directory, ignored);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// Everything of a directory, opened and compared with its checksums and marks.
struct Stores {
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<BatchLedger> ledger;
  std::unique_ptr<KeyStore> keys;
  KeyStore::Content content;
};

absl::StatusOr<Stores> Open(const std::string& directory) {
  Stores stores;
  TOMBOLA_ASSIGN_OR_RETURN(stores.catalog, Catalog::Open(In(directory, kCatalogFile)));
  TOMBOLA_ASSIGN_OR_RETURN(stores.ledger, SqliteLedger::Open(In(directory, kBatchesFile)));
  TOMBOLA_ASSIGN_OR_RETURN(KeyStore keys, KeyStore::Open(In(directory, kKeysDirectory)));
  stores.keys = std::make_unique<KeyStore>(std::move(keys));
  TOMBOLA_ASSIGN_OR_RETURN(stores.content, stores.keys->Load());
  return stores;
}

// What SQLite leaves beside a file that was only read: an empty log and its index.
absl::Status RemoveLogs(const std::string& directory) {
  for (const absl::string_view name : kDatabases) {
    for (const char* ending : {"-wal", "-shm"}) {
      std::error_code error;
      fs::remove(absl::StrCat(directory, "/", name, ending), error);
      if (error) return absl::UnavailableError(error.message());
    }
  }
  return absl::OkStatus();
}

// Every file of a backup but its manifest, by its path within it.
std::vector<std::string> FilesOf(const KeyStore::Content& keys) {
  std::vector<std::string> files;
  for (const absl::string_view name : kDatabases) {
    files.emplace_back(name);
    files.push_back(absl::StrCat(name, ".mark"));
  }
  for (const auto& [id, key] : keys.private_keys) {
    files.push_back(absl::StrCat(kKeysDirectory, "/", ToHex(id), ".key"));
  }
  return files;
}

absl::StatusOr<BackupManifest> Describe(const std::string& backup,
                                        const std::vector<std::string>& files, absl::Time taken) {
  BackupManifest manifest{.taken = taken, .program = Version(), .files = {}};
  for (const std::string& file : files) {
    TOMBOLA_ASSIGN_OR_RETURN(manifest.files[file], crypto::DigestFile(In(backup, file)));
  }
  return manifest;
}

// Every file has the bytes that the manifest says.
absl::Status Compare(const std::string& directory, const BackupManifest& manifest) {
  for (const auto& [name, wanted] : manifest.files) {
    const std::string path = In(directory, name);
    TOMBOLA_ASSIGN_OR_RETURN(const crypto::FileDigest found, crypto::DigestFile(path));
    if (found == wanted) continue;
    return absl::DataLossError(
        found.bytes != wanted.bytes
            ? absl::StrCat(path, " is damaged: it has ", found.bytes,
                           " bytes, and the backup's manifest says ", wanted.bytes)
            : absl::StrCat(path, " is damaged: its SHA-256 is not the one in the manifest"));
  }
  return absl::OkStatus();
}

absl::Status FillBackup(const std::string& from, const std::string& backup, absl::Time taken) {
  for (const absl::string_view name : {kBatchesFile, kCatalogFile}) {
    TOMBOLA_RETURN_IF_ERROR(Database::Copy(In(from, name), In(backup, name)));
  }
  TOMBOLA_RETURN_IF_ERROR(KeyStore::Copy(In(from, kKeysDirectory), In(backup, kKeysDirectory)));
  std::vector<std::string> files;
  {
    TOMBOLA_ASSIGN_OR_RETURN(const Stores stores, Open(backup));
    files = FilesOf(stores.content);
  }
  TOMBOLA_RETURN_IF_ERROR(RemoveLogs(backup));
  TOMBOLA_ASSIGN_OR_RETURN(const BackupManifest manifest, Describe(backup, files, taken));
  TOMBOLA_RETURN_IF_ERROR(SyncDirectoryOf(In(backup, kDatabases[1])));
  return ReplaceFile(In(backup, kManifest), Print(manifest));
}

// The keys are overwritten, as far as it goes.
void Discard(const std::string& directory) {
  if (fs::exists(In(directory, kKeysDirectory))) {
    (void)KeyStore::RemoveCopy(In(directory, kKeysDirectory));
  }
  std::error_code ignored;
  fs::remove_all(directory, ignored);
}

absl::Status CopyFile(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat("cannot copy ", from, " to ", to, ": ", error.message()));
  }
  if (chmod(to.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return DiskError("restrict", to);
  }
  return SyncFile(to);
}

absl::StatusOr<BackupManifest> ReadManifest(const std::string& backup) {
  const absl::StatusOr<std::string> text = ReadSmallFile(In(backup, kManifest));
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat(
        backup, " is no backup, or one that was never finished: ", kManifest, " is missing"));
  }
  TOMBOLA_RETURN_IF_ERROR(text.status());
  absl::StatusOr<BackupManifest> manifest = ParseBackupManifest(*text);
  if (!manifest.ok()) {
    return absl::Status(manifest.status().code(),
                        absl::StrCat(backup, ": ", manifest.status().message()));
  }
  return manifest;
}

absl::Status CopyBack(const std::string& backup, const BackupManifest& manifest,
                      const std::string& to) {
  TOMBOLA_RETURN_IF_ERROR(MakeNewDirectory(In(to, kKeysDirectory)));
  for (const auto& [name, digest] : manifest.files) {
    TOMBOLA_RETURN_IF_ERROR(CopyFile(In(backup, name), In(to, name)));
  }
  // The medium may have given other bytes to the copy than it gave before.
  return Compare(to, manifest);
}

// What is wrong with a file of the draft was wrong with the backup's: that is the one to look at.
absl::Status NamedAsIn(const std::string& backup, const std::string& draft,
                       const absl::Status& status) {
  return absl::Status(status.code(), absl::StrReplaceAll(status.message(), {{draft, backup}}));
}

absl::StatusOr<Restored> FillRestored(const std::string& backup, const BackupManifest& manifest,
                                      const std::string& to, absl::Time now) {
  if (const absl::Status copied = CopyBack(backup, manifest, to); !copied.ok()) {
    return NamedAsIn(backup, to, copied);
  }
  const absl::StatusOr<Stores> opened = Open(to);
  if (!opened.ok()) return NamedAsIn(backup, to, opened.status());
  const Stores& stores = *opened;
  Restored restored{.taken = manifest.taken,
                    .serial = AboveAllSinceACopy(stores.content.serial, now),
                    .tasks = static_cast<int64_t>(stores.catalog->Tasks().size())};
  TOMBOLA_RETURN_IF_ERROR(stores.catalog->NoteRestore(manifest.taken, now));
  TOMBOLA_RETURN_IF_ERROR(stores.keys->Save(restored.serial, {}));
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(In(to, kCompleteFile), kCompleteContent));
  return restored;
}

bool IsMissingOrEmpty(const std::string& directory) {
  std::error_code error;
  return !fs::exists(directory, error) ||
         (fs::is_directory(directory, error) && fs::is_empty(directory, error) && !error);
}

// A directory as others name it, without a slash at its end.
std::string Plain(const std::string& directory) {
  const fs::path path(directory);
  return (path.has_filename() ? path : path.parent_path()).string();
}

}  // namespace

absl::Status Backup(const std::string& data_directory, const std::string& backup, absl::Time now) {
  if (!fs::exists(In(data_directory, kCompleteFile))) {
    return absl::NotFoundError(
        absl::StrCat(data_directory, " is not the data directory of a collector"));
  }
  const std::string target = Plain(backup);
  if (IsWithin(target, data_directory)) {
    return absl::FailedPreconditionError(
        absl::StrCat(target, " is within the data directory: keep a backup elsewhere"));
  }
  TOMBOLA_RETURN_IF_ERROR(MakeNewDirectory(target));
  absl::Status made =
      FillBackup(data_directory, target, absl::FromUnixSeconds(absl::ToUnixSeconds(now)));
  if (made.ok()) made = SyncDirectoryOf(target);
  if (!made.ok()) Discard(target);
  return made;
}

absl::StatusOr<Restored> Restore(const std::string& backup, const std::string& data_directory,
                                 absl::Time now) {
  TOMBOLA_ASSIGN_OR_RETURN(const BackupManifest manifest, ReadManifest(backup));
  const std::string target = Plain(data_directory);
  if (!IsMissingOrEmpty(target)) {
    return absl::FailedPreconditionError(
        absl::StrCat(target, " must be empty: a restore replaces nothing"));
  }
  TOMBOLA_RETURN_IF_ERROR(Compare(Plain(backup), manifest));
  const std::string draft = absl::StrCat(target, ".restoring");
  const absl::Status drafted = MakeNewDirectory(draft);
  if (absl::IsAlreadyExists(drafted)) {
    return absl::FailedPreconditionError(
        absl::StrCat(draft, " was left by a restore that was cut short: remove it first"));
  }
  TOMBOLA_RETURN_IF_ERROR(drafted);
  absl::StatusOr<Restored> restored = FillRestored(Plain(backup), manifest, draft, now);
  if (restored.ok()) {
    if (const absl::Status renamed = Rename(draft, target); !renamed.ok()) restored = renamed;
  }
  if (restored.ok()) {
    if (const absl::Status synced = SyncDirectoryOf(target); !synced.ok()) return synced;
  } else {
    Discard(draft);
  }
  return restored;
}

}  // namespace tombola::collector
