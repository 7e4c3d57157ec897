#include "common/rpc/address.h"

#include <gtest/gtest.h>

namespace tombola::rpc {
namespace {

TEST(ParseAddressTest, SplitsAtTheLastColon) {
  EXPECT_EQ(ParseAddress("example.org:7001")->host, "example.org");
  EXPECT_EQ(ParseAddress("example.org:7001")->port, 7001);
  EXPECT_EQ(ParseAddress("[::1]:0")->host, "::1");
  EXPECT_EQ(ParseAddress("[::]:65535")->port, 65535);
}

TEST(ParseAddressTest, RefusesWhatIsNotHostAndPort) {
  for (const char* text : {"", "host", ":1", "host:", "host:x", "host:65536", "host:-1"}) {
    EXPECT_EQ(ParseAddress(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace tombola::rpc
