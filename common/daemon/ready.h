// Telling whoever started a daemon that it takes calls, and where.
#ifndef TOMBOLA_COMMON_DAEMON_READY_H_
#define TOMBOLA_COMMON_DAEMON_READY_H_

#include <string>
#include <utility>
#include <vector>

namespace tombola::daemon {

// Writes one line of JSON, {"port":123,...}, to the file descriptor and closes it. Nothing if it is
// negative.
void SayReady(int fd, const std::vector<std::pair<std::string, int>>& ports);

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_READY_H_
