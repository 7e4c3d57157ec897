#include "common/rpc/peer.h"

#include <grpc/grpc_security_constants.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"

namespace tombola::rpc {

absl::Status CheckNotRevoked(const grpc::AuthContext& peer, tls::Revocation* revocation) {
  if (revocation == nullptr || !peer.IsPeerAuthenticated()) return absl::OkStatus();
  const std::shared_ptr<const crypto::RevocationLists> lists = revocation->Current();
  // The chain as OpenSSL gives it to a server lacks the peer's own certificate.
  for (const char* property :
       {GRPC_X509_PEM_CERT_PROPERTY_NAME, GRPC_X509_PEM_CERT_CHAIN_PROPERTY_NAME}) {
    for (const grpc::string_ref& pem : peer.FindPropertyValues(property)) {
      if (!pem.empty() && lists->Revoke(absl::string_view(pem.data(), pem.size()))) {
        return absl::UnauthenticatedError("the certificate is revoked");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status RequireRole(const grpc::AuthContext& peer,
                         std::initializer_list<absl::string_view> roles,
                         tls::Revocation* revocation) {
  const std::string needed = absl::StrJoin(roles, " or ");
  if (!peer.IsPeerAuthenticated()) {
    return absl::UnauthenticatedError(
        absl::StrCat("client certificate missing: this call needs one with the role ", needed));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckNotRevoked(peer, revocation));
  for (const grpc::string_ref& value : peer.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    absl::string_view uri(value.data(), value.size());
    if (absl::ConsumePrefix(&uri, kRoleUriPrefix) &&
        std::find(roles.begin(), roles.end(), uri) != roles.end()) {
      return absl::OkStatus();
    }
  }
  return absl::PermissionDeniedError(
      absl::StrCat("client certificate must carry the role ", needed));
}

absl::Status RequireDevice(const grpc::AuthContext& peer, tls::Revocation* revocation) {
  if (!peer.IsPeerAuthenticated()) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(CheckNotRevoked(peer, revocation));
  for (const grpc::string_ref& value : peer.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    absl::string_view uri(value.data(), value.size());
    if (absl::ConsumePrefix(&uri, kRoleUriPrefix) && uri != kRoleDevice) {
      return absl::PermissionDeniedError(
          "client certificate must carry the role device, or none: devices need no certificate");
    }
  }
  return absl::OkStatus();
}

std::string PeerName(const grpc::AuthContext& peer) {
  for (const grpc::string_ref& name : peer.FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME)) {
    return absl::StrCat("certificate CN=", absl::string_view(name.data(), name.size()));
  }
  return peer.IsPeerAuthenticated() ? "certificate without a name" : "";
}

crypto::Sha256Digest PeerDigest(const grpc::AuthContext& peer) {
  for (const grpc::string_ref& pem : peer.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME)) {
    return crypto::Sha256(absl::string_view(pem.data(), pem.size()));
  }
  return {};
}

}  // namespace tombola::rpc
