// What a backup says of itself.
#ifndef TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_
#define TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {

// A text file that is written last: a directory without it is no backup, whatever else is in it.
// docs/collector-format.md describes it.
struct BackupManifest {
  absl::Time taken;     // whole seconds: everything counted before is in it
  std::string program;  // version of the program that made it
  // SHA-256 of each database's mark, by its name. The mark names the database and the number of its
  // transactions, the database has a sum over all rows: together they say what is in it.
  std::map<std::string, crypto::Sha256Digest> marks;
  std::vector<std::string> keys;  // names of the files of private keys, which name their content
};

std::string Print(const BackupManifest& manifest);
// DataLoss: not a manifest, or changed. FailedPrecondition: of another version.
absl::StatusOr<BackupManifest> ParseBackupManifest(const std::string& text);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_BACKUP_MANIFEST_H_
