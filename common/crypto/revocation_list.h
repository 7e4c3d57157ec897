// Certificates that their authority has taken back.
#ifndef TOMBOLA_COMMON_CRYPTO_REVOCATION_LIST_H_
#define TOMBOLA_COMMON_CRYPTO_REVOCATION_LIST_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tombola::crypto {

// Certificate revocation lists (CRL, RFC 5280), whole ones only. A certificate is known by its
// issuer and its serial number. When a list was made and when the next one is due is not looked at:
// an old list revokes what it revoked. Thread-safe.
class RevocationLists {
 public:
  // `lists` holds one or more in PEM, each signed by a certificate of `roots`, also PEM.
  // InvalidArgument: there is none, one is broken or not signed so, or it has an extension that
  // must be understood and is not, as the changes to another list (delta) and lists of several
  // authorities have.
  static absl::StatusOr<RevocationLists> Parse(absl::string_view lists, absl::string_view roots);

  ~RevocationLists();
  RevocationLists(RevocationLists&&) noexcept;
  RevocationLists& operator=(RevocationLists&&) noexcept;

  // Whether a certificate of the PEM chain is revoked by its issuer. So is what is no certificate.
  bool Revoke(absl::string_view chain) const;
  // How many certificates are revoked.
  int64_t size() const;

 private:
  struct Handles;
  explicit RevocationLists(std::unique_ptr<Handles> handles);

  std::unique_ptr<Handles> handles_;
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_REVOCATION_LIST_H_
