// What gRPC takes as arguments, at either end of a connection.
#ifndef TOMBOLA_COMMON_RPC_ARGUMENTS_H_
#define TOMBOLA_COMMON_RPC_ARGUMENTS_H_

#include <grpc/grpc.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/time/time.h"

namespace tombola::rpc {

// That no message is inflated: arguments of every server and every channel. gRPC 1.51 inflates a
// message before it compares its size with the limit, so that a megabyte from anybody becomes a
// gigabyte in memory. The first argument refuses whatever a peer says is encoded, with
// UNIMPLEMENTED and the algorithm's name; the second takes the code that inflates out of the way of
// the call, so that nothing depends on which of the two gRPC comes to first.
inline constexpr std::pair<const char*, int> kIdentityOnly[] = {
    {GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE},
    {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},
};

// A duration. What does not fit, and an infinite duration, is the largest int, which gRPC takes for
// "never".
inline int Milliseconds(absl::Duration duration) {
  constexpr int64_t kForEver = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(absl::ToInt64Milliseconds(duration), kForEver));
}

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_ARGUMENTS_H_
