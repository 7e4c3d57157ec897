// A copy of everything that a collector keeps, made while it runs, and back.
#ifndef TOMBOLA_COLLECTOR_BACKUP_BACKUP_H_
#define TOMBOLA_COLLECTOR_BACKUP_BACKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tombola::collector {

// Copies a collector's data directory, which its daemon may be using, into a directory that there
// is not yet. The databases are copied one after the other, each as it is between two transactions:
// batches first, then tasks, then keys, so that the task and the key of every batch are in it. The
// copy is opened and checked; its manifest, with the size and SHA-256 of every file, is written
// last.
//
// It holds private keys: its files are its owner's alone. AlreadyExists: the directory is there.
// What failed leaves nothing; what was killed leaves a directory that Restore refuses.
absl::Status Backup(const std::string& data_directory, const std::string& backup, absl::Time now);

struct Restored {
  absl::Time taken;     // when the copy was made
  uint64_t serial = 0;  // of the key list from now on
  int64_t tasks = 0;    // in the catalogue
};

// Makes a collector's data directory out of a backup. Every file is compared with the manifest
// before anything is written, the copies once more, and the directory appears as a whole. The
// catalogue notes the restore, for the shuffler and for answers, and the numbers of catalogue and
// key list go on above all that were told since the copy: shuffler and devices refuse what looks
// older than what they have seen. Keys that were made since are not in the list, which is how
// everybody learns that nothing sealed to them can be opened.
//
// FailedPrecondition: the data directory is not empty, a restore was cut short beside it, or the
// backup is of another format version. NotFound: there is no backup, it was never
// finished, or a file of it is missing. DataLoss: it is damaged, and the message names the file. A
// manifest stops no forger: whoever can change a backup can write one that fits.
absl::StatusOr<Restored> Restore(const std::string& backup, const std::string& data_directory,
                                 absl::Time now);

// Do as backup.h says, print what was done or why not, and return the exit code: 2 for what the
// caller has to mend, 1 for everything else.
int SayBackup(const std::string& data_directory, const std::string& backup);
int SayRestore(const std::string& backup, const std::string& data_directory);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_BACKUP_BACKUP_H_
