#include "common/rpc/tls.h"

#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/disk/whole_file.h"
#include "common/rpc/address.h"

namespace tombola::rpc {
namespace {

struct Pem {
  std::string certificate;
  std::string private_key;
  std::string roots;
};

absl::StatusOr<Pem> Load(const tls::Files& files) {
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

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> ChannelTls(const tls::Files& files) {
  TOMBOLA_ASSIGN_OR_RETURN(const Pem pem, Load(files));
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = pem.roots;
  options.pem_private_key = pem.private_key;
  options.pem_cert_chain = pem.certificate;
  return grpc::SslCredentials(options);
}

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> PlainTextOnLoopback(
    absl::string_view listen) {
  if (!IsLoopback(listen)) {
    return absl::InvalidArgumentError("plain text needs a listening address on loopback");
  }
  return grpc::InsecureServerCredentials();
}

}  // namespace tombola::rpc
