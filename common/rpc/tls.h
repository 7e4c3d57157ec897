// TLS credentials from PEM files, and the roles that certificates carry.
#ifndef TOMBOLA_COMMON_RPC_TLS_H_
#define TOMBOLA_COMMON_RPC_TLS_H_

#include <grpcpp/security/auth_context.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/roles.h"

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
// Whether host:port is on the loopback interface.
bool IsLoopback(absl::string_view address);

// OK if the peer's verified certificate carries one of `roles`. Unauthenticated: it showed no
// certificate. PermissionDenied: it has another role.
absl::Status RequireRole(const grpc::AuthContext& peer,
                         std::initializer_list<absl::string_view> roles);

// OK for a device: a peer without a certificate, or with one that has the role `device` or none.
// PermissionDenied: its certificate has another role.
absl::Status RequireDevice(const grpc::AuthContext& peer);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_TLS_H_
