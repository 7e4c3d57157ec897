// A daemon's life between taking calls and draining.
#ifndef TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_
#define TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_

#include <functional>
#include <string>

namespace tombola::daemon {

// Blocks SIGTERM, SIGINT and SIGHUP in this thread and those it starts: call it before any other
// exists.
void BlockDaemonSignals();

// Says READY with this status (notify.h), then waits: SIGHUP calls `reload`, with RELOADING before
// it and READY after it; SIGTERM and SIGINT say STOPPING and return.
void ServeUntilTerminated(const std::string& status, const std::function<void()>& reload);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_LIFECYCLE_H_
