// Telling systemd, or whoever speaks its protocol, how far a daemon is.
#ifndef TOMBOLA_COMMON_DAEMON_NOTIFY_H_
#define TOMBOLA_COMMON_DAEMON_NOTIFY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tombola::daemon {

// sd_notify(3): one datagram a message to the Unix socket that $NOTIFY_SOCKET names, a path or,
// after a `@`, an abstract name. Says nothing where the variable is not set; a socket that does not
// take a message is logged and no reason to stop.
class Notifier {
 public:
  static Notifier FromEnvironment();

  void Ready(absl::string_view status) const;  // also once a reload is over
  void Reloading() const;
  void Stopping() const;

 private:
  explicit Notifier(std::string socket) : socket_(std::move(socket)) {}
  void Send(const std::string& message) const;

  std::string socket_;
};

}  // namespace tombola::daemon

#endif  // TOMBOLA_COMMON_DAEMON_NOTIFY_H_
