// That no message is inflated, at either end of a connection.
#ifndef TOMBOLA_COMMON_RPC_IDENTITY_ONLY_H_
#define TOMBOLA_COMMON_RPC_IDENTITY_ONLY_H_

#include <grpc/grpc.h>

#include <utility>

namespace tombola::rpc {

// Arguments of every server and every channel. gRPC 1.51 inflates a message before it compares its
// size with the limit, so that a megabyte from anybody becomes a gigabyte in memory. The first
// argument refuses whatever a peer says is encoded, with UNIMPLEMENTED and the algorithm's name;
// the second takes the code that inflates out of the way of the call, so that nothing depends on
// which of the two gRPC comes to first.
inline constexpr std::pair<const char*, int> kIdentityOnly[] = {
    {GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE},
    {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},
};

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_IDENTITY_ONLY_H_
