// A channel as every client of ours opens one.
#ifndef TOMBOLA_COMMON_RPC_CHANNEL_H_
#define TOMBOLA_COMMON_RPC_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>

#include "absl/time/time.h"

namespace tombola::rpc {

struct ChannelOptions {
  int max_message_bytes = 4 << 20;  // a larger answer gets RESOURCE_EXHAUSTED
  // Another channel to the same address never shares this one's connection.
  bool own_connection = false;
  // How long to wait before a connection is tried again: at first, and at most.
  absl::Duration first_backoff = absl::Seconds(1);
  absl::Duration longest_backoff = absl::Minutes(2);
  absl::Duration keepalive = absl::InfiniteDuration();  // of silence in a call, then a ping
};

// The connection is made with the first call. An answer that the server has compressed gets
// UNIMPLEMENTED and is not looked at (identity_only.h): a server is not trusted with this process's
// memory.
std::shared_ptr<grpc::Channel> OpenChannel(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ChannelOptions& options);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CHANNEL_H_
