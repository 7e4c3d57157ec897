// tombola-collector: opens batches, aggregates them and answers questions about them.
#include <sys/stat.h>

#include <iostream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "collector/backup/say.h"
#include "collector/daemon.h"
#include "collector/flags.h"
#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/config/daemon_config.h"
#include "common/log/log.h"
#include "common/rpc/flags.h"
#include "common/rpc/lifecycle.h"
#include "common/rpc/server.h"

int main(int argc, char** argv) {
  umask(S_IRWXG | S_IRWXO);  // what a daemon writes is its owner's alone
  tombola::rpc::PrepareProcess();
  tombola::rpc::BlockDaemonSignals();
  tombola::collector::Flags flags;
  tombola::config::DaemonConfig config(&flags.app());
  if (const auto code = config.Read(argc, argv)) return *code;
  const tombola::collector::DaemonOptions options = flags.Options();
  const bool instead = !flags.backup().empty() || !flags.restore().empty();
  if (instead && config.check()) {
    std::cerr << "tombola-collector: --backup and --restore go without --check-config\n";
    return 2;
  }
  if (!flags.backup().empty()) {
    return tombola::collector::SayBackup(options.data_directory, flags.backup());
  }
  if (!flags.restore().empty()) {
    return tombola::collector::SayRestore(flags.restore(), options.data_directory);
  }
  if (config.check()) {
    return tombola::config::SayChecked("tombola-collector",
                                       tombola::collector::CheckOptions(options));
  }
  tombola::log::SetLevel(flags.log_level());
  auto daemon = tombola::collector::Daemon::Start(options, std::make_shared<tombola::SystemClock>(),
                                                  std::make_shared<tombola::BootClock>());
  if (!daemon.ok()) {
    std::cerr << "tombola-collector: " << daemon.status().message() << "\n";
    return tombola::rpc::StartExitCode(daemon.status());
  }
  tombola::rpc::SayReady(flags.ready_fd(), {{"ingest_port", (*daemon)->ingest_port()},
                                            {"query_port", (*daemon)->query_port()},
                                            {"http_port", (*daemon)->http_port()}});
  tombola::rpc::ServeUntilTerminated(
      absl::StrCat("taking batches on port ", (*daemon)->ingest_port(), ", questions on port ",
                   (*daemon)->query_port(),
                   (*daemon)->http_port() == 0
                       ? ""
                       : absl::StrCat(", HTTP on port ", (*daemon)->http_port())),
      [&] {
        tombola::collector::Flags fresh;
        tombola::config::DaemonConfig again(&fresh.app());
        if (tombola::config::SayWhatNeedsRestart(config.Effective(), again, argc, argv)) {
          tombola::log::SetLevel(fresh.log_level());
        }
        (*daemon)->Reload();
      });
  (*daemon)->Stop();
  return 0;
}
