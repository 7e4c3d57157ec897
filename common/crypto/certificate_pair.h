// Whether a certificate and a private key belong together, and whether their time is now.
#ifndef TOMBOLA_COMMON_CRYPTO_CERTIFICATE_PAIR_H_
#define TOMBOLA_COMMON_CRYPTO_CERTIFICATE_PAIR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/crypto/secret_bytes.h"

namespace tombola::crypto {

// OK if the first certificate of the PEM chain is that of the private key, also PEM. It says
// nothing about who signed the certificate or when it ends. InvalidArgument: one of them is no PEM,
// or they do not match. A key that is encrypted is refused.
absl::Status CheckCertificatePair(absl::string_view chain, const SecretBytes& private_key);

// OK if `now` lies within the life of the first certificate of the PEM chain. FailedPrecondition,
// with the time: it has ended or has yet to begin.
absl::Status CheckCertificateTime(absl::string_view chain, absl::Time now);

// The end of that life. InvalidArgument: not PEM.
absl::StatusOr<absl::Time> CertificateEnd(absl::string_view chain);

// The roles (common/base/roles.h) that the first certificate names. InvalidArgument: not PEM.
absl::StatusOr<std::vector<std::string>> CertificateRoles(absl::string_view chain);

// For people: "certificate CN=tombola analyst", of the first; "certificate without a name" where it
// has none or is not PEM.
std::string CertificateName(absl::string_view chain);

// OK if there is at least one certificate, and each is whole. InvalidArgument: not.
absl::Status CheckCertificates(absl::string_view pem);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_CERTIFICATE_PAIR_H_
