// A daemon's life from taking calls to draining.
#ifndef TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_
#define TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_
