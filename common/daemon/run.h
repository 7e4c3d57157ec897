// A daemon's main function, and its life from taking calls to draining.
#ifndef TOMBOLA_COMMON_DAEMON_RUN_H_
#define TOMBOLA_COMMON_DAEMON_RUN_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/daemon/config.h"
#include "common/daemon/flags.h"
#include "common/log/log.h"

namespace tombola::daemon {

// Blocks SIGTERM, SIGINT and SIGHUP in this thread and those it starts: call it before any other
// exists.
void BlockDaemonSignals();

// Tells whoever started the daemon that it takes calls, and where: writes one line of JSON,
// {"port":123,...}, to the file descriptor and closes it. Nothing if it is negative.
void SayReady(int fd, const std::vector<std::pair<std::string, int>>& ports);

// Says READY with this status (notify.h), then waits: SIGHUP calls `reload`, with RELOADING before
// it and READY after it; SIGTERM and SIGINT say STOPPING and return.
void ServeUntilTerminated(const std::string& status, const std::function<void()>& reload);

// What comes before the flags: the files' modes, gRPC, and the signals, which all threads must
// have blocked.
void PrepareDaemon();

// Says on standard error why the daemon did not start; the exit code: 2 for what its caller has to
// mend, a flag or the permissions of a file, else 1.
int SayNotStarted(const CLI::App& app, const absl::Status& status);

// Reads flags and file, starts, serves until SIGTERM, drains; the exit code. SIGHUP reloads, and
// takes over the log level of the configuration as it is then.
//
//   Flags   derived from daemon::Flags, with Options()
//   Daemon  with Start(options, wall, steady), Ports(), Serving(), Reload() and Stop()
//   check   --check-config: what is wrong with the options, without starting
//   instead the exit code, if the flags say that something else is wanted than a daemon
template <typename Flags, typename Daemon, typename Check, typename Instead>
int Run(int argc, char** argv, const Check& check, const Instead& instead) {
  PrepareDaemon();
  Flags flags;
  Config config(&flags.app());
  if (const auto code = config.Read(argc, argv)) return *code;
  if (const std::optional<int> code = instead(flags, config.check())) return *code;
  const auto options = flags.Options();
  if (config.check()) return SayChecked(flags.app().get_name(), check(options));
  log::SetLevel(flags.log_level());
  const auto daemon =
      Daemon::Start(options, std::make_shared<SystemClock>(), std::make_shared<BootClock>());
  if (!daemon.ok()) return SayNotStarted(flags.app(), daemon.status());
  SayReady(flags.ready_fd(), (*daemon)->Ports());
  ServeUntilTerminated((*daemon)->Serving(), [&] {
    Flags fresh;
    Config again(&fresh.app());
    if (SayWhatNeedsRestart(config.Effective(), again, argc, argv)) {
      log::SetLevel(fresh.log_level());
    }
    (*daemon)->Reload();
  });
  (*daemon)->Stop();
  return 0;
}

template <typename Flags, typename Daemon, typename Check>
int Run(int argc, char** argv, const Check& check) {
  return Run<Flags, Daemon>(argc, argv, check,
                            [](const Flags&, bool) { return std::optional<int>(); });
}

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_RUN_H_
