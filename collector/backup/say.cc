#include <iostream>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/backup/backup.h"
#include "common/base/time_text.h"

namespace tombola::collector {
namespace {

int Fail(const absl::Status& status) {
  std::cerr << "tombola-collector: " << status.message() << "\n";
  const bool of_the_caller = absl::IsAlreadyExists(status) || absl::IsNotFound(status) ||
                             absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status);
  return of_the_caller ? 2 : 1;
}

}  // namespace

int SayBackup(const std::string& data_directory, const std::string& backup) {
  const absl::Time now = absl::Now();
  const absl::Status status = Backup(data_directory, backup, now);
  if (!status.ok()) return Fail(status);
  std::cout << "backed up to " << backup << ", as of " << TimeText(now) << "\n";
  return 0;
}

int SayRestore(const std::string& backup, const std::string& data_directory) {
  const absl::StatusOr<Restored> restored = Restore(backup, data_directory, absl::Now());
  if (!restored.ok()) return Fail(restored.status());
  std::cout << "restored to " << data_directory << ", as of " << TimeText(restored->taken) << ": "
            << restored->tasks << (restored->tasks == 1 ? " task" : " tasks") << ", key list "
            << restored->serial
            << ". What was counted since is lost, but for what the shuffler still has\n";
  return 0;
}

}  // namespace tombola::collector
