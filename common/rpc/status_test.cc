#include "common/rpc/status.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "common/base/retry_after.h"

namespace tombola::rpc {
namespace {

TEST(Status, CodesAndMessagesSurviveTheWire) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), code == 0 ? "" : "why");
    EXPECT_EQ(FromGrpc(ToGrpc(status)), status) << code;
    EXPECT_EQ(ToGrpc(status).error_details(), "");
  }
}

TEST(Status, TheWaitSurvivesAndTheCauseStaysHere) {
  const absl::Status sent = Refusal("calls", "busy", absl::Milliseconds(61250));
  const absl::Status got = FromGrpc(ToGrpc(sent));
  EXPECT_EQ(got.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(got.message(), "busy");
  EXPECT_EQ(RetryAfter(got), absl::Milliseconds(61250));
  EXPECT_EQ(RefusalCause(got), "");
}

// Bytes as google.rpc.Status{code: 8, message: "m", details: [RetryInfo{1.5 s}]} has them, put
// together by hand from the two published schemas.
TEST(Status, TheBytesAreThoseOfGoogleRpc) {
  const std::string info("\x0a\x08\x08\x01\x10\x80\xca\xb5\xee\x01", 10);
  const std::string type = "type.googleapis.com/google.rpc.RetryInfo";
  ASSERT_EQ(type.size(), 0x28u);
  const std::string any = "\x0a\x28" + type + "\x12\x0a" + info;
  ASSERT_EQ(any.size(), 0x36u);
  const std::string expected = "\x08\x08\x12\x01m\x1a\x36" + any;
  EXPECT_EQ(ToGrpc(Refusal("c", "m", absl::Milliseconds(1500))).error_details(), expected);
  const grpc::Status received(grpc::StatusCode::RESOURCE_EXHAUSTED, "m", expected);
  EXPECT_EQ(RetryAfter(FromGrpc(received)), absl::Milliseconds(1500));
}

TEST(Status, MalformedDetailsAreIgnored) {
  for (const char* bytes : {"\xff\xff", "\x1a\x02\x0a\x00", "\x08", "garbage"}) {
    const grpc::Status received(grpc::StatusCode::RESOURCE_EXHAUSTED, "m", bytes);
    EXPECT_EQ(FromGrpc(received), absl::ResourceExhaustedError("m")) << bytes;
  }
}

TEST(Status, AnAbsurdWaitIsCut) {
  // retry_delay.seconds = 2^62.
  const std::string info("\x0a\x0a\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40", 12);
  const std::string any = "\x0a\x28type.googleapis.com/google.rpc.RetryInfo\x12\x0c" + info;
  const std::string details = "\x08\x08\x1a" + std::string(1, static_cast<char>(any.size())) + any;
  const grpc::Status received(grpc::StatusCode::RESOURCE_EXHAUSTED, "m", details);
  EXPECT_EQ(RetryAfter(FromGrpc(received)), kLongestRetryAfter);
}

}  // namespace
}  // namespace tombola::rpc
