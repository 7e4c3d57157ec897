// Durations as gRPC's arguments want them.
#ifndef TOMBOLA_COMMON_RPC_MILLISECONDS_H_
#define TOMBOLA_COMMON_RPC_MILLISECONDS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace tombola::rpc {

// What does not fit, and an infinite duration, is the largest int, which gRPC takes for "never".
inline int Milliseconds(absl::Duration duration) {
  constexpr int64_t kForEver = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(absl::ToInt64Milliseconds(duration), kForEver));
}

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_MILLISECONDS_H_
