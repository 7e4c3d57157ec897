#include "common/crypto/secret_bytes.h"

#include <openssl/crypto.h>

#include <utility>

namespace tombola::crypto {

SecretBytes::SecretBytes(absl::Span<const uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {}

SecretBytes::SecretBytes(absl::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}

SecretBytes SecretBytes::OfSize(size_t size) {
  SecretBytes secret;
  secret.bytes_.resize(size);
  return secret;
}

SecretBytes::~SecretBytes() { Wipe(); }

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : bytes_(std::exchange(other.bytes_, std::vector<uint8_t>())) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this == &other) return *this;
  Wipe();
  bytes_ = std::exchange(other.bytes_, std::vector<uint8_t>());
  return *this;
}

SecretBytes SecretBytes::Clone() const { return SecretBytes(ExposeSecret()); }

absl::string_view SecretBytes::ExposeSecretAsString() const {
  return absl::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
}

void SecretBytes::Wipe() {
  if (!bytes_.empty()) OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

}  // namespace tombola::crypto
