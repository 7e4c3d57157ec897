// tombola-collector: opens batches, aggregates them and answers questions about them.
#include <iostream>
#include <optional>

#include "collector/backup/backup.h"
#include "collector/daemon.h"
#include "collector/flags.h"
#include "common/daemon/run.h"

namespace tombola::collector {
namespace {

// --backup and --restore.
std::optional<int> CopyInstead(const Flags& flags, bool check) {
  if (flags.backup().empty() && flags.restore().empty()) return std::nullopt;
  if (check) {
    std::cerr << "tombola-collector: --backup and --restore go without --check-config\n";
    return 2;
  }
  const std::string directory = flags.Options().data_directory;
  if (!flags.backup().empty()) return SayBackup(directory, flags.backup());
  return SayRestore(flags.restore(), directory);
}

}  // namespace
}  // namespace tombola::collector

int main(int argc, char** argv) {
  using tombola::collector::CheckOptions, tombola::collector::Daemon, tombola::collector::Flags;
  return tombola::daemon::Run<Flags, Daemon>(argc, argv, CheckOptions,
                                             tombola::collector::CopyInstead);
}
