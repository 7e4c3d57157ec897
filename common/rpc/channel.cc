#include "common/rpc/channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include "common/rpc/arguments.h"

namespace tombola::rpc {

std::shared_ptr<grpc::Channel> OpenChannel(
    const std::string& address, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
    const ChannelOptions& options) {
  grpc::ChannelArguments arguments;
  for (const auto& [name, value] : kIdentityOnly) arguments.SetInt(name, value);
  arguments.SetMaxReceiveMessageSize(options.max_message_bytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, options.own_connection ? 1 : 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, Milliseconds(options.first_backoff));
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, Milliseconds(options.longest_backoff));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive));
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

}  // namespace tombola::rpc
