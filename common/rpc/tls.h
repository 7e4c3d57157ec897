// Credentials from PEM files.
#ifndef TOMBOLA_COMMON_RPC_TLS_H_
#define TOMBOLA_COMMON_RPC_TLS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/tls/files.h"

namespace tombola::rpc {

enum class ClientCertificate {
  kOptional,  // verified if there is one; the RPC decides whether it needs a role
  kRequired,  // no connection without one
};

// NotFound or PermissionDenied name the file that could not be read. A private key that others may
// read is refused.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelTls(const tls::Files& files);

// No TLS at all. InvalidArgument unless the address to listen on is loopback.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> PlainTextOnLoopback(
    absl::string_view listen);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_TLS_H_
