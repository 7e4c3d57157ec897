// tombola-shuffler: gathers sealed reports, permutes them and forwards them in batches.
#include <sys/stat.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/config/daemon_config.h"
#include "common/log/log.h"
#include "common/rpc/flags.h"
#include "common/rpc/lifecycle.h"
#include "common/rpc/server.h"
#include "shuffler/daemon.h"
#include "shuffler/flags.h"

int main(int argc, char** argv) {
  umask(S_IRWXG | S_IRWXO);  // what a daemon writes is its owner's alone
  tombola::rpc::PrepareProcess();
  tombola::rpc::BlockDaemonSignals();
  tombola::shuffler::Flags flags;
  tombola::config::DaemonConfig config(&flags.app());
  if (const auto code = config.Read(argc, argv)) return *code;
  const tombola::shuffler::DaemonOptions options = flags.Options();
  if (config.check()) {
    return tombola::config::SayChecked("tombola-shuffler",
                                       tombola::shuffler::CheckOptions(options));
  }
  tombola::log::SetLevel(flags.log_level());
  auto daemon = tombola::shuffler::Daemon::Start(options, std::make_shared<tombola::SystemClock>(),
                                                 std::make_shared<tombola::BootClock>());
  if (!daemon.ok()) {
    std::cerr << "tombola-shuffler: " << daemon.status().message() << "\n";
    return tombola::rpc::StartExitCode(daemon.status());
  }
  std::vector<std::pair<std::string, int>> ports = {{"port", (*daemon)->port()}};
  if (const auto http_port = (*daemon)->http_port()) ports.emplace_back("http_port", *http_port);
  tombola::rpc::SayReady(flags.ready_fd(), ports);
  tombola::rpc::ServeUntilTerminated(absl::StrCat("taking calls on port ", (*daemon)->port()), [&] {
    tombola::shuffler::Flags fresh;
    tombola::config::DaemonConfig again(&fresh.app());
    if (tombola::config::SayWhatNeedsRestart(config.Effective(), again, argc, argv)) {
      tombola::log::SetLevel(fresh.log_level());
    }
    (*daemon)->Reload();
  });
  (*daemon)->Stop();
  return 0;
}
