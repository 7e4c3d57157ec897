// What a daemon says of its configuration when it is told to reload.
#ifndef TOMBOLA_COMMON_DAEMON_RELOAD_H_
#define TOMBOLA_COMMON_DAEMON_RELOAD_H_

#include <vector>

#include "common/daemon/config.h"

namespace tombola::daemon {

// Reads the configuration into `fresh`, which has not parsed yet, and logs `needs_restart` with the
// keys that differ from those of the running daemon, but for log-level, or `config_refused` with
// the cause. Whether it could be read: then the caller takes the log level over, and nothing else.
bool SayWhatNeedsRestart(const std::vector<Setting>& running, Config& fresh, int argc, char** argv);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_RELOAD_H_
