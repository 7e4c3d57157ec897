// Between absl::Status and grpc::Status, whose codes have the same numbers.
#ifndef TOMBOLA_COMMON_RPC_STATUS_H_
#define TOMBOLA_COMMON_RPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"

namespace tombola::rpc {

inline grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

inline absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_STATUS_H_
