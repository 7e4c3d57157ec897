// Between absl::Status and grpc::Status, whose codes have the same numbers.
#ifndef TOMBOLA_COMMON_RPC_STATUS_H_
#define TOMBOLA_COMMON_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace tombola::rpc {

// What RetryAfter says of a status (common/base/retry_after.h) travels as google.rpc.RetryInfo in
// the status details. Other payloads stay here.
grpc::Status ToGrpc(const absl::Status& status);

// Details that are malformed, or of types that are not known, are as good as none.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_STATUS_H_
