#include "common/crypto/ed25519_verify.h"

#include "absl/strings/str_cat.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {

bool VerifyEd25519(absl::Span<const uint8_t> public_key, absl::string_view message,
                   absl::string_view signature) {
  if (public_key.size() != kEd25519PublicKeyBytes || signature.size() != kEd25519SignatureBytes) {
    return false;
  }
  const ErrorQueueScope errors;
  const EvpKey key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key.data(), public_key.size()));
  const EvpDigestContext context(EVP_MD_CTX_new());
  return key != nullptr && context != nullptr &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const uint8_t*>(signature.data()),
                          signature.size(), reinterpret_cast<const uint8_t*>(message.data()),
                          message.size()) == 1;
}

bool VerifyEd25519(absl::Span<const uint8_t> public_key, absl::string_view context,
                   absl::string_view message, absl::string_view signature) {
  return VerifyEd25519(public_key, absl::StrCat(context, message), signature);
}

}  // namespace tombola::crypto
