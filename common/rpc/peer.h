// Who calls, by the certificate that was shown in the handshake.
#ifndef TOMBOLA_COMMON_RPC_PEER_H_
#define TOMBOLA_COMMON_RPC_PEER_H_

#include <grpcpp/security/auth_context.h>

#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/base/roles.h"
#include "common/crypto/sha256.h"
#include "common/tls/revocation.h"

namespace tombola::rpc {

// gRPC 1.51 lets nobody look at a certificate during the handshake: these look at it with every
// call, so that one that is revoked ends with the next call on a connection that is open, too.
// `revocation` may be none: nothing is revoked.

// OK if the peer showed no certificate, or one that is not revoked, nor is one of its chain.
// Unauthenticated: it is.
absl::Status CheckNotRevoked(const grpc::AuthContext& peer, tls::Revocation* revocation);

// OK if the peer's verified certificate carries one of `roles`. Unauthenticated: it showed no
// certificate, or one that is revoked. PermissionDenied: it has another role.
absl::Status RequireRole(const grpc::AuthContext& peer,
                         std::initializer_list<absl::string_view> roles,
                         tls::Revocation* revocation);

// OK for a device: a peer without a certificate, or with one that has the role `device` or none.
// PermissionDenied: its certificate has another role. Unauthenticated: it is revoked.
absl::Status RequireDevice(const grpc::AuthContext& peer, tls::Revocation* revocation);

// For people: "certificate CN=tombola analyst-dana"; empty without one.
std::string PeerName(const grpc::AuthContext& peer);

// By which the peer's certificate is told from others; all zero without one.
crypto::Sha256Digest PeerDigest(const grpc::AuthContext& peer);

}  // namespace tombola::rpc

#endif  // TOMBOLA_COMMON_RPC_PEER_H_
