// Owners for OpenSSL's handles. Included by the .cc files of this folder and of common/http only,
// so that OpenSSL's headers reach nobody else.
#ifndef TOMBOLA_COMMON_CRYPTO_OPENSSL_HANDLES_H_
#define TOMBOLA_COMMON_CRYPTO_OPENSSL_HANDLES_H_

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"

namespace tombola::crypto {

template <auto Free>
struct OpenSslDeleter {
  template <typename T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

using EvpKey = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using EvpKeyContext = std::unique_ptr<EVP_PKEY_CTX, OpenSslDeleter<EVP_PKEY_CTX_free>>;
using EvpCipherContext = std::unique_ptr<EVP_CIPHER_CTX, OpenSslDeleter<EVP_CIPHER_CTX_free>>;
using EvpDigestContext = std::unique_ptr<EVP_MD_CTX, OpenSslDeleter<EVP_MD_CTX_free>>;

// Takes what a scope leaves in the thread's OpenSSL error queue out of it again, so that a refused
// report is not read as an error of the next TLS call on the thread.
class ErrorQueueScope {
 public:
  ErrorQueueScope() { ERR_set_mark(); }
  ~ErrorQueueScope() { ERR_pop_to_mark(); }
  ErrorQueueScope(const ErrorQueueScope&) = delete;
  ErrorQueueScope& operator=(const ErrorQueueScope&) = delete;
};

// A secret of fixed size on the stack, wiped at the end of its scope. The hot path's SecretBytes.
template <size_t N>
class SecretArray {
 public:
  SecretArray() = default;
  ~SecretArray() { OPENSSL_cleanse(bytes_, N); }
  SecretArray(const SecretArray&) = delete;
  SecretArray& operator=(const SecretArray&) = delete;

  absl::Span<const uint8_t> ExposeSecret() const { return bytes_; }
  absl::Span<uint8_t> ExposeSecretForWriting() { return absl::MakeSpan(bytes_); }

 private:
  uint8_t bytes_[N] = {};
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_OPENSSL_HANDLES_H_
