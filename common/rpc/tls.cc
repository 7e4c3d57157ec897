#include "common/rpc/tls.h"

#include <grpc/grpc_security_constants.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "common/base/file.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"

namespace tombola::rpc {
namespace {

struct Pem {
  std::string certificate;
  std::string private_key;
  std::string roots;
};

absl::StatusOr<Pem> Load(const TlsFiles& files) {
  Pem pem;
  TOMBOLA_ASSIGN_OR_RETURN(pem.roots, ReadSmallFile(files.roots));
  if (files.certificate.empty()) return pem;
  TOMBOLA_ASSIGN_OR_RETURN(pem.certificate, ReadSmallFile(files.certificate));
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes key,
                           crypto::ReadSecretFile(files.private_key));
  const auto secret = key.ExposeSecret();
  pem.private_key.assign(reinterpret_cast<const char*>(secret.data()), secret.size());
  return pem;
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelTls(const TlsFiles& files) {
  TOMBOLA_ASSIGN_OR_RETURN(const Pem pem, Load(files));
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = pem.roots;
  options.pem_private_key = pem.private_key;
  options.pem_cert_chain = pem.certificate;
  return grpc::SslCredentials(options);
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:");
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> PlainTextOnLoopback(
    absl::string_view listen) {
  if (!IsLoopback(listen)) {
    return absl::InvalidArgumentError("plain text needs a listening address on loopback");
  }
  return grpc::InsecureServerCredentials();
}

absl::Status RequireRole(const grpc::AuthContext& peer,
                         std::initializer_list<absl::string_view> roles) {
  const std::string needed = absl::StrJoin(roles, " or ");
  if (!peer.IsPeerAuthenticated()) {
    return absl::UnauthenticatedError(
        absl::StrCat("client certificate missing: this call needs one with the role ", needed));
  }
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

absl::Status RequireDevice(const grpc::AuthContext& peer) {
  if (!peer.IsPeerAuthenticated()) return absl::OkStatus();
  for (const grpc::string_ref& value : peer.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    absl::string_view uri(value.data(), value.size());
    if (absl::ConsumePrefix(&uri, kRoleUriPrefix) && uri != kRoleDevice) {
      return absl::PermissionDeniedError(
          "client certificate must carry the role device, or none: devices need no certificate");
    }
  }
  return absl::OkStatus();
}

}  // namespace tombola::rpc
