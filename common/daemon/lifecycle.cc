#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/daemon/notify.h"
#include "common/daemon/run.h"
#include "common/log/log.h"

namespace tombola::daemon {
namespace {

sigset_t DaemonSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

int WaitForSignal() {
  const sigset_t set = DaemonSignals();
  int signal = 0;
  TOMBOLA_CHECK(sigwait(&set, &signal) == 0);
  return signal;
}

}  // namespace

void BlockDaemonSignals() {
  const sigset_t set = DaemonSignals();
  TOMBOLA_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
}

void ServeUntilTerminated(const std::string& status, const std::function<void()>& reload) {
  const Notifier notifier = Notifier::FromEnvironment();
  notifier.Ready(status);
  int signal = WaitForSignal();
  for (; signal == SIGHUP; signal = WaitForSignal()) {
    notifier.Reloading();
    reload();
    notifier.Ready(status);
  }
  log::Info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
  notifier.Stopping();
}

void SayReady(int fd, const std::vector<std::pair<std::string, int>>& ports) {
  if (fd < 0) return;
  const std::string line =
      absl::StrCat("{",
                   absl::StrJoin(ports, ",",
                                 [](std::string* out, const auto& port) {
                                   absl::StrAppend(out, "\"", port.first, "\":", port.second);
                                 }),
                   "}\n");
  // Whoever asked may be gone; that is no reason to stop serving.
  [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

}  // namespace tombola::daemon
