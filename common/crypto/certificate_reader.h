// Certificates out of PEM. Included where openssl_handles.h is.
#ifndef TOMBOLA_COMMON_CRYPTO_CERTIFICATE_READER_H_
#define TOMBOLA_COMMON_CRYPTO_CERTIFICATE_READER_H_

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {

using Bio = std::unique_ptr<BIO, OpenSslDeleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;

// Refers to the text.
inline Bio Reading(absl::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Instead of OpenSSL's own, which would ask at the terminal.
inline int NoPassword(char*, int, int, void*) { return -1; }

inline Certificate NextCertificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, &NoPassword, nullptr));
}

// After a reading that found nothing more: whether that was the end of the text, which shows as "no
// start line", and not something that is broken.
inline bool AtEnd() { return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE; }

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_CERTIFICATE_READER_H_
