#include "client/submit/transport.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::client {
namespace {

// A port of loopback that is taken, so that nobody else gets it, and not listened on.
class ClosedPort {
 public:
  ClosedPort() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    TOMBOLA_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    TOMBOLA_CHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    text_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  }
  ~ClosedPort() { close(fd_); }
  const std::string& address() const { return text_; }

 private:
  const int fd_;
  std::string text_;
};

TEST(TransportTest, SaysWhichShufflerCannotBeReached) {
  const ClosedPort closed;
  const auto transport = ConnectToShuffler(
      {.shuffler = closed.address(), .roots_file = "", .plain_text_on_loopback = true});
  ASSERT_TRUE(transport.ok()) << transport.status();
  const absl::Status status = (*transport)->GetKeyList(absl::Milliseconds(200)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(closed.address()));
}

}  // namespace
}  // namespace tombola::client
