#include "common/crypto/sealing_key.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {
namespace {

constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;
static_assert(kNonceBytes + kTagBytes == kSealOverhead);
constexpr size_t kMostBytes = size_t{1} << 30;  // OpenSSL counts in int

int SizeOf(size_t bytes) {
  TOMBOLA_CHECK(bytes <= kMostBytes);
  return static_cast<int>(bytes);
}

uint8_t* BytesAt(std::string& text, size_t at) {
  return reinterpret_cast<uint8_t*>(text.data()) + at;
}

}  // namespace

SealingKey SealingKey::Draw(RandomSource& random) {
  SecretBytes bytes = SecretBytes::OfSize(kSealingKeyBytes);
  random.Fill(bytes.ExposeSecretForWriting());
  return SealingKey(std::move(bytes));
}

absl::StatusOr<SealingKey> SealingKey::FromBytes(SecretBytes bytes) {
  if (bytes.size() != kSealingKeyBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sealing key must have ", kSealingKeyBytes, " bytes, has ", bytes.size()));
  }
  return SealingKey(std::move(bytes));
}

std::string SealingKey::Seal(absl::Span<const uint8_t> secret, absl::string_view place,
                             RandomSource& random) const {
  std::array<uint8_t, kNonceBytes> nonce;
  random.Fill(absl::MakeSpan(nonce));
  std::string sealed(kSealOverhead + secret.size(), '\0');
  std::copy(nonce.begin(), nonce.end(), BytesAt(sealed, 0));
  const EvpCipherContext cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  TOMBOLA_CHECK(cipher != nullptr);
  TOMBOLA_CHECK(EVP_EncryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), bytes_.ExposeSecret().data(),
                                    nonce.data(), nullptr) == 1);
  TOMBOLA_CHECK(place.empty() ||
                EVP_EncryptUpdate(cipher.get(), nullptr, &written, AsBytes(place).data(),
                                  SizeOf(place.size())) == 1);
  TOMBOLA_CHECK(secret.empty() ||
                EVP_EncryptUpdate(cipher.get(), BytesAt(sealed, kNonceBytes), &written,
                                  secret.data(), SizeOf(secret.size())) == 1);
  const size_t end = kNonceBytes + secret.size();
  TOMBOLA_CHECK(EVP_EncryptFinal_ex(cipher.get(), BytesAt(sealed, end), &written) == 1);
  TOMBOLA_CHECK(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes,
                                    BytesAt(sealed, end)) == 1);
  return sealed;
}

absl::StatusOr<SecretBytes> SealingKey::Open(absl::string_view sealed,
                                             absl::string_view place) const {
  const absl::Status other = absl::DataLossError("was not sealed so with this key");
  if (sealed.size() < kSealOverhead || sealed.size() > kMostBytes) return other;
  const ErrorQueueScope errors;
  const absl::Span<const uint8_t> bytes = AsBytes(sealed);
  SecretBytes secret = SecretBytes::OfSize(sealed.size() - kSealOverhead);
  // OpenSSL takes the tag through a pointer to non-const and only reads it.
  uint8_t* const tag = const_cast<uint8_t*>(bytes.data() + sealed.size() - kTagBytes);
  uint8_t nothing[1];
  const EvpCipherContext cipher(EVP_CIPHER_CTX_new());
  int written = 0;
  TOMBOLA_CHECK(cipher != nullptr);
  TOMBOLA_CHECK(EVP_DecryptInit_ex2(cipher.get(), EVP_aes_256_gcm(), bytes_.ExposeSecret().data(),
                                    bytes.data(), nullptr) == 1);
  if (!place.empty() && EVP_DecryptUpdate(cipher.get(), nullptr, &written, AsBytes(place).data(),
                                          SizeOf(place.size())) != 1) {
    return other;
  }
  if (!secret.empty() &&
      EVP_DecryptUpdate(cipher.get(), secret.ExposeSecretForWriting().data(), &written,
                        bytes.data() + kNonceBytes, SizeOf(secret.size())) != 1) {
    return other;
  }
  if (EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag) != 1 ||
      EVP_DecryptFinal_ex(cipher.get(), nothing, &written) != 1) {
    return other;
  }
  return secret;
}

}  // namespace tombola::crypto
