#include "common/crypto/hpke_seal.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/hpke_schedule.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {
namespace {

// X25519 of the private key in `own` and the public key in `peer`. The peer was checked when its
// Sealer was made, so OpenSSL's validation is off.
bool Agree(EVP_PKEY* own, EVP_PKEY* peer, SecretArray<kX25519Bytes>& point) {
  const EvpKeyContext derivation(EVP_PKEY_CTX_new(own, nullptr));
  return derivation != nullptr && EVP_PKEY_derive_init(derivation.get()) == 1 &&
         EVP_PKEY_derive_set_peer_ex(derivation.get(), peer, /*validate_peer=*/0) == 1 &&
         DeriveX25519(derivation.get(), point);
}

// Writes ciphertext || tag.
bool Encrypt(EVP_CIPHER_CTX* aead, const AeadKeys& keys, absl::string_view aad,
             absl::Span<const uint8_t> plaintext, absl::Span<uint8_t> out) {
  int written = 0;
  uint8_t* const tag = out.data() + plaintext.size();
  if (EVP_EncryptInit_ex2(aead, nullptr, keys.key.ExposeSecret().data(),
                          keys.base_nonce.ExposeSecret().data(), nullptr) != 1) {
    return false;
  }
  if (!aad.empty() &&
      EVP_EncryptUpdate(aead, nullptr, &written, reinterpret_cast<const uint8_t*>(aad.data()),
                        static_cast<int>(aad.size())) != 1) {
    return false;
  }
  if (!plaintext.empty() && EVP_EncryptUpdate(aead, out.data(), &written, plaintext.data(),
                                              static_cast<int>(plaintext.size())) != 1) {
    return false;
  }
  return EVP_EncryptFinal_ex(aead, tag, &written) == 1 &&
         EVP_CIPHER_CTX_ctrl(aead, EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) == 1;
}

bool IsOfLowOrder(EVP_PKEY* public_key) {
  // Any scalar shows it: X25519 clears the cofactor from every one of them.
  const std::array<uint8_t, kX25519Bytes> scalar = {1};
  const EvpKey own(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, scalar.data(), scalar.size()));
  SecretArray<kX25519Bytes> point;
  return own == nullptr || !Agree(own.get(), public_key, point);
}

}  // namespace

struct Sealer::Context {
  Context(absl::Span<const uint8_t> public_key, absl::string_view info)
      : schedule(public_key, info),
        recipient(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, public_key.data(),
                                              public_key.size())),
        aead(EVP_CIPHER_CTX_new()) {}

  HpkeSchedule schedule;
  EvpKey recipient;
  EvpCipherContext aead;
};

Sealer::Sealer(std::unique_ptr<Context> context) : context_(std::move(context)) {}
Sealer::~Sealer() = default;
Sealer::Sealer(Sealer&&) noexcept = default;
Sealer& Sealer::operator=(Sealer&&) noexcept = default;

absl::StatusOr<Sealer> Sealer::Create(absl::Span<const uint8_t> public_key,
                                      absl::string_view info) {
  if (public_key.size() != kHpkePublicKeyBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "HPKE public key must have ", kHpkePublicKeyBytes, " bytes, has ", public_key.size()));
  }
  const ErrorQueueScope errors;
  auto context = std::make_unique<Context>(public_key, info);
  if (context->recipient == nullptr || context->aead == nullptr ||
      EVP_EncryptInit_ex2(context->aead.get(), EVP_aes_128_gcm(), nullptr, nullptr, nullptr) != 1) {
    return absl::InternalError("OpenSSL could not set up X25519 and AES-128-GCM");
  }
  if (IsOfLowOrder(context->recipient.get())) {
    return absl::InvalidArgumentError("HPKE public key is a point of low order");
  }
  return Sealer(std::move(context));
}

absl::Status Sealer::Seal(absl::Span<const uint8_t> plaintext, RandomSource& random,
                          absl::Span<uint8_t> out) {
  SecretArray<kHpkePrivateKeyBytes> ephemeral;
  random.Fill(ephemeral.ExposeSecretForWriting());
  return SealWithEphemeral(ephemeral.ExposeSecret(), "", plaintext, out);
}

absl::Status Sealer::SealWithEphemeral(absl::Span<const uint8_t> ephemeral, absl::string_view aad,
                                       absl::Span<const uint8_t> plaintext,
                                       absl::Span<uint8_t> out) {
  TOMBOLA_CHECK(context_ != nullptr);
  if (out.size() != plaintext.size() + kHpkeOverhead) {
    return absl::InvalidArgumentError(absl::StrCat("sealed report must have ",
                                                   plaintext.size() + kHpkeOverhead,
                                                   " bytes, the buffer has ", out.size()));
  }
  const ErrorQueueScope errors;
  const absl::Span<uint8_t> enc = out.first(kEncBytes);
  size_t enc_size = enc.size();
  const EvpKey own(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, ephemeral.data(), ephemeral.size()));
  SecretArray<kX25519Bytes> point;
  if (own == nullptr || EVP_PKEY_get_raw_public_key(own.get(), enc.data(), &enc_size) != 1 ||
      !Agree(own.get(), context_->recipient.get(), point)) {
    return absl::InternalError("OpenSSL could not agree on an X25519 secret");
  }
  SecretArray<kSharedSecretBytes> shared_secret;
  AeadKeys keys;
  context_->schedule.ExtractAndExpand(point, enc, shared_secret);
  context_->schedule.DeriveKeys(shared_secret, keys);
  if (!Encrypt(context_->aead.get(), keys, aad, plaintext, out.subspan(kEncBytes))) {
    return absl::InternalError("OpenSSL could not encrypt with AES-128-GCM");
  }
  return absl::OkStatus();
}

}  // namespace tombola::crypto
