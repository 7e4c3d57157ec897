#include "common/daemon/notify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "tests/support/environment.h"
#include "tests/support/scratch_directory.h"

namespace tombola::daemon {
namespace {

using ::testing::ContainsRegex;

// What systemd does: a socket bound to the name, a zero byte first for an abstract one.
class Manager {
 public:
  explicit Manager(std::string name) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const size_t length = offsetof(sockaddr_un, sun_path) + name.size() + (name[0] == '/' ? 1 : 0);
    TOMBOLA_CHECK(
        bind(fd_, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)) == 0);
    variable_.emplace("NOTIFY_SOCKET", name);
  }
  ~Manager() { close(fd_); }

  std::string Next() const {
    char buffer[512];
    const ssize_t got = recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
    return got < 0 ? "nothing" : std::string(buffer, static_cast<size_t>(got));
  }

 private:
  int fd_;
  std::optional<EnvironmentVariable> variable_;
};

void SaysItAll(const Manager& manager) {
  const Notifier notifier = Notifier::FromEnvironment();
  notifier.Ready("taking calls");
  EXPECT_EQ(manager.Next(), "READY=1\nSTATUS=taking calls\n");
  notifier.Reloading();
  EXPECT_THAT(manager.Next(),
              ContainsRegex("^RELOADING=1\nMONOTONIC_USEC=[0-9]+\nSTATUS=reloading\n$"));
  notifier.Stopping();
  EXPECT_EQ(manager.Next(), "STOPPING=1\nSTATUS=draining\n");
}

TEST(NotifierTest, SpeaksToAPath) {
  const ScratchDirectory directory;
  SaysItAll(Manager(directory.In("socket")));
}

TEST(NotifierTest, SpeaksToAnAbstractName) {
  SaysItAll(Manager("@tombola-notify-test-" + std::to_string(getpid())));
}

TEST(NotifierTest, SaysNothingWithoutASocketAndOutlivesABadOne) {
  // From here on it is not set, whatever the tests were started with.
  { const EnvironmentVariable variable("NOTIFY_SOCKET", ""); }
  Notifier::FromEnvironment().Ready("x");
  const std::string too_long = "/" + std::string(200, 'x');
  for (const char* name : {"/nowhere/socket", "relative", too_long.c_str()}) {
    const EnvironmentVariable variable("NOTIFY_SOCKET", name);
    Notifier::FromEnvironment().Ready("x");
  }
  SaysItAll(Manager("@tombola-notify-test-after-" + std::to_string(getpid())));
}

}  // namespace
}  // namespace tombola::daemon
