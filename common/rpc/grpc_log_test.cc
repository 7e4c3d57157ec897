#include "common/rpc/grpc_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tombola::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gpr_log_func_args Line(const char* message, const char* file = "src/core/tsi/x.cc") {
  return {.file = file, .line = 12, .severity = GPR_LOG_SEVERITY_ERROR, .message = message};
}

// What `act` writes to the log.
template <typename Act>
std::string Logged(const Act& act) {
  ::testing::internal::CaptureStderr();
  act();
  return ::testing::internal::GetCapturedStderr();
}

TEST(GrpcLogTest, AFloodIsOneLineWithItsNumber) {
  GrpcLog log;
  EXPECT_EQ(Logged([&] {
              for (int i = 0; i < 1000; ++i) {
                log.Add(Line("Handshake failed with fatal error SSL_ERROR_SSL: of 192.0.2.1"));
              }
            }),
            "");
  const std::string line = Logged([&] { log.Step(); });
  EXPECT_THAT(line, HasSubstr(R"("level":"warning","event":"handshakes_failed","count":1000})"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(line, Not(HasSubstr("192.0.2.1")));
  EXPECT_EQ(Logged([&] { log.Step(); }), "");
}

TEST(GrpcLogTest, OtherComplaintsSayWhereTheyComeFromAndNotWhatTheySay) {
  GrpcLog log;
  log.Add(Line("cannot talk to ipv4:192.0.2.1:7", "src/core/lib/one.cc"));
  log.Add(Line("nor to ipv4:192.0.2.2:7", "two.cc"));
  const std::string line = Logged([&] { log.Step(); });
  EXPECT_THAT(line, HasSubstr(R"("event":"grpc_complained","count":2,"source":"one.cc:12"})"));
  EXPECT_THAT(line, Not(HasSubstr("192.0.2")));
}

TEST(GrpcLogTest, AFailedAssertionIsSaidAtOnce) {
  GrpcLog log;
  EXPECT_THAT(
      Logged([&] { log.Add(Line("assertion failed: a == b")); }),
      HasSubstr(R"("event":"grpc_failed","source":"x.cc:12","status":"assertion failed: a == b")"));
}

}  // namespace
}  // namespace tombola::rpc
