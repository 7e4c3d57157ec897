#include "common/daemon/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/log/log.h"

namespace tombola::daemon {
namespace {

void SayFailure(int error) {
  log::Warning("notify_failed", {{"status", absl::ErrnoToStatus(error, "sendto").ToString()}});
}

}  // namespace

Notifier Notifier::FromEnvironment() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody here changes the environment
  const char* const socket = std::getenv("NOTIFY_SOCKET");
  return Notifier(socket == nullptr ? "" : socket);
}

void Notifier::Ready(absl::string_view status) const {
  Send(absl::StrCat("READY=1\nSTATUS=", status, "\n"));
}

void Notifier::Reloading() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t microseconds = int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  Send(absl::StrCat("RELOADING=1\nMONOTONIC_USEC=", microseconds, "\nSTATUS=reloading\n"));
}

void Notifier::Stopping() const { Send("STOPPING=1\nSTATUS=draining\n"); }

void Notifier::Send(const std::string& message) const {
  if (socket_.empty()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if ((socket_[0] != '/' && socket_[0] != '@') || socket_.size() >= sizeof(address.sun_path)) {
    return SayFailure(EINVAL);
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size() +
                             (socket_[0] == '/' ? 1 : 0));  // a path ends with a zero byte
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return SayFailure(errno);
  const absl::Cleanup closer = [fd] { close(fd); };
  const ssize_t sent = sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), length);
  if (sent < 0) SayFailure(errno);
}

}  // namespace tombola::daemon
