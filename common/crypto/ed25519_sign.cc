#include "common/crypto/ed25519_sign.h"

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {
namespace {

constexpr size_t kSignatureBytes = 64;

}  // namespace

struct SigningKey::Handle {
  EvpKey key;
};

SigningKey::SigningKey() = default;
SigningKey::~SigningKey() = default;
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;

absl::StatusOr<SigningKey> SigningKey::Generate(RandomSource& random) {
  SecretBytes seed = SecretBytes::OfSize(kEd25519SeedBytes);
  random.Fill(seed.ExposeSecretForWriting());
  return FromSeed(seed);
}

absl::StatusOr<SigningKey> SigningKey::FromSeed(const SecretBytes& seed) {
  if (seed.size() != kEd25519SeedBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("Ed25519 seed must have ", kEd25519SeedBytes, " bytes, has ", seed.size()));
  }
  const ErrorQueueScope errors;
  SigningKey key;
  key.seed_ = seed.Clone();
  key.handle_ = std::make_unique<Handle>();
  key.handle_->key.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                                      seed.ExposeSecret().data(), seed.size()));
  size_t size = key.public_key_.size();
  if (key.handle_->key == nullptr ||
      EVP_PKEY_get_raw_public_key(key.handle_->key.get(), key.public_key_.data(), &size) != 1) {
    return absl::InternalError("OpenSSL could not compute the Ed25519 public key");
  }
  return key;
}

std::string SigningKey::Sign(absl::string_view message) const {
  TOMBOLA_CHECK(handle_ != nullptr);
  std::string signature(kSignatureBytes, '\0');
  size_t size = signature.size();
  const EvpDigestContext context(EVP_MD_CTX_new());
  TOMBOLA_CHECK(context != nullptr);
  TOMBOLA_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, handle_->key.get()) ==
                1);
  TOMBOLA_CHECK(EVP_DigestSign(context.get(), reinterpret_cast<uint8_t*>(signature.data()), &size,
                               reinterpret_cast<const uint8_t*>(message.data()),
                               message.size()) == 1);
  TOMBOLA_CHECK(size == kSignatureBytes);
  return signature;
}

std::string SigningKey::Sign(absl::string_view context, absl::string_view message) const {
  return Sign(absl::StrCat(context, message));
}

}  // namespace tombola::crypto
