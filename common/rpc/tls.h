// TLS credentials from PEM files.
#ifndef TOMBOLA_COMMON_RPC_TLS_H_
#define TOMBOLA_COMMON_RPC_TLS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::rpc {

// Paths of PEM files.
struct TlsFiles {
  std::string certificate;  // one's own chain; empty for a client without one
  std::string private_key;
  std::string roots;  // who vouches for the other side
};

enum class ClientCertificate {
  kOptional,  // verified if there is one; the RPC decides whether it needs a role
  kRequired,  // no connection without one
};

// NotFound or PermissionDenied name the file that could not be read. A private key that others may
// read is refused.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelTls(const TlsFiles& files);

// No TLS at all. InvalidArgument unless the address to listen on is loopback.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> PlainTextOnLoopback(
    absl::string_view listen);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_TLS_H_
