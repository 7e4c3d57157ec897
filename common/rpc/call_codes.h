// How calls end: their method and the code they are answered with.
#ifndef TOMBOLA_COMMON_RPC_CALL_CODES_H_
#define TOMBOLA_COMMON_RPC_CALL_CODES_H_

#include <grpcpp/support/server_interceptor.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace tombola::rpc {

// The last part of the method's name, as in the .proto, and the code's name, as `NOT_FOUND`.
// Called for every answer, from any thread; not for a call that its caller has given up.
using Answered = std::function<void(absl::string_view method, absl::string_view code)>;

// The name of a code; UNKNOWN for one that gRPC does not define.
absl::string_view CodeName(grpc::StatusCode code);

// For a server builder.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> TellAnswered(
    Answered answered);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_CALL_CODES_H_
