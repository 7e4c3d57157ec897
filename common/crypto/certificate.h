// TLS certificates of a deployment's own authority, for `tombola up` and for tests.
#ifndef TOMBOLA_COMMON_CRYPTO_CERTIFICATE_H_
#define TOMBOLA_COMMON_CRYPTO_CERTIFICATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/roles.h"
#include "common/crypto/secret_bytes.h"

namespace tombola::crypto {

struct CertificatePem {
  std::string certificate;
  SecretBytes private_key;  // PKCS #8, unencrypted.
};

struct IssueOptions {
  // The subject, for people: 1 to 64 printable ASCII characters.
  std::string common_name = {};
  // Names and addresses by which a client may call this server; both empty for a mere client.
  // At most 100 together, names of letters, digits, '-' and '.' (and "*." before them).
  std::vector<std::string> dns_names = {};
  std::vector<std::string> ip_addresses = {};
  // What the holder may do, 1 to 32 of a-z, 0-9, '-' and '_'. There is no certificate without one.
  std::string role = {};
};

// An authority with a fresh EC P-256 key that signs with ECDSA and SHA-256, which gRPC accepts. Its
// own key never leaves the object: when it is destroyed, nobody can issue under it any more.
// Certificates are for both ends of TLS and cannot issue further ones. Keys and serial numbers come
// from OpenSSL's generator.
//
// Thread-safe once made. Movable; a moved-from authority may only be destroyed or assigned to.
class CertificateAuthority {
 public:
  // Valid, like all that it issues, from five minutes before `now` (for clocks that run behind)
  // until `now` + `validity`, which is more than zero and at most 20 years.
  // InvalidArgument for a name or validity out of bounds; Internal if OpenSSL fails.
  static absl::StatusOr<CertificateAuthority> Create(absl::string_view common_name,
                                                     absl::Duration validity, absl::Time now);
  ~CertificateAuthority();
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;

  // The authority's certificate in PEM, what peers are told to trust.
  const std::string& certificate() const { return certificate_; }

  // A certificate with a fresh key. InvalidArgument names the option that is out of bounds.
  absl::StatusOr<CertificatePem> Issue(const IssueOptions& options) const;

  // A list in PEM that revokes the certificates, each PEM, as of the authority's beginning.
  // InvalidArgument: one is no PEM.
  absl::StatusOr<std::string> Revoke(const std::vector<std::string>& certificates) const;

 private:
  struct Handles;

  CertificateAuthority();

  std::string certificate_;
  absl::Time not_before_;
  absl::Time not_after_;
  std::unique_ptr<Handles> handles_;
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_CERTIFICATE_H_
