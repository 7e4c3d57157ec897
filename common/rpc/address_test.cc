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

TEST(IsLoopbackTest, KnowsTheAddressesAndOneName) {
  for (const char* text : {"127.0.0.1:7001", "127.255.3.4:0", "[::1]:7001", "[::ffff:127.0.0.1]:1",
                           "[::ffff:127.9.9.9]:1", "localhost:7001", "[0:0:0:0:0:0:0:1]:1"}) {
    EXPECT_TRUE(IsLoopback(text)) << text;
  }
  for (const char* text :
       {"127.evil.example:7001", "127.0.0.1.evil.example:1", "localhost.evil.example:1",
        "128.0.0.1:1", "0.0.0.0:1", "[::]:1", "[::2]:1", "[::ffff:128.0.0.1]:1", "[::127.0.0.1]:1",
        "127.1:1", "127.0.0.1", "localhost", "", "[::1]", "Localhost:1", "dns:///localhost:1"}) {
    EXPECT_FALSE(IsLoopback(text)) << text;
  }
}

}  // namespace
}  // namespace tombola::rpc
