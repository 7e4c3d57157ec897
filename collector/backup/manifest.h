// What a backup says of itself.
#ifndef TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_
#define TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/file_digest.h"

namespace tombola::collector {

// A text file that is written last: a directory without it is no backup, whatever else is in it.
// docs/collector-format.md describes it.
struct BackupManifest {
  absl::Time taken;     // whole seconds: everything counted before is in it
  std::string program;  // version of the program that made it
  // Every other file of the backup, by its path within it.
  std::map<std::string, crypto::FileDigest> files;
};

std::string Print(const BackupManifest& manifest);
// A path in it is a database's, a mark's or a private key's and leads nowhere else; those of all
// databases and marks are there. DataLoss: not a manifest, or changed. FailedPrecondition: of
// another version.
absl::StatusOr<BackupManifest> ParseBackupManifest(const std::string& text);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_
