#include "common/daemon/run.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "common/rpc/server.h"

namespace tombola::daemon {

void PrepareDaemon() {
  umask(S_IRWXG | S_IRWXO);  // what a daemon writes is its owner's alone
  rpc::PrepareProcess();
  BlockDaemonSignals();
}

int SayNotStarted(const CLI::App& app, const absl::Status& status) {
  std::cerr << app.get_name() << ": " << status.message() << "\n";
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status) ? 2 : 1;
}

}  // namespace tombola::daemon
