#include "common/crypto/hpke_open.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/hpke_schedule.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {
namespace {

EvpKey ParsePrivateKey(absl::Span<const uint8_t> bytes) {
  return EvpKey(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size()));
}

// From ciphertext || tag. On false, `plaintext` holds unauthenticated bytes that nobody may see.
bool Decrypt(EVP_CIPHER_CTX* aead, const AeadKeys& keys, absl::string_view aad,
             absl::Span<const uint8_t> sealed, absl::Span<uint8_t> plaintext) {
  int written = 0;
  // OpenSSL takes the tag through a pointer to non-const and only reads it.
  uint8_t* const tag = const_cast<uint8_t*>(sealed.data() + plaintext.size());
  uint8_t nothing[1];
  if (EVP_DecryptInit_ex2(aead, nullptr, keys.key.ExposeSecret().data(),
                          keys.base_nonce.ExposeSecret().data(), nullptr) != 1) {
    return false;
  }
  if (!aad.empty() &&
      EVP_DecryptUpdate(aead, nullptr, &written, reinterpret_cast<const uint8_t*>(aad.data()),
                        static_cast<int>(aad.size())) != 1) {
    return false;
  }
  if (!plaintext.empty() && EVP_DecryptUpdate(aead, plaintext.data(), &written, sealed.data(),
                                              static_cast<int>(plaintext.size())) != 1) {
    return false;
  }
  return EVP_CIPHER_CTX_ctrl(aead, EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag) == 1 &&
         EVP_DecryptFinal_ex(aead, nothing, &written) == 1;
}

}  // namespace

absl::StatusOr<HpkePrivateKey> HpkePrivateKey::Generate(RandomSource& random) {
  SecretBytes bytes = SecretBytes::OfSize(kHpkePrivateKeyBytes);
  random.Fill(bytes.ExposeSecretForWriting());
  return FromBytes(bytes);
}

absl::StatusOr<HpkePrivateKey> HpkePrivateKey::FromBytes(const SecretBytes& private_key) {
  if (private_key.size() != kHpkePrivateKeyBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "HPKE private key must have ", kHpkePrivateKeyBytes, " bytes, has ", private_key.size()));
  }
  const ErrorQueueScope errors;
  HpkePrivateKey key;
  key.private_key_ = private_key.Clone();
  const EvpKey parsed = ParsePrivateKey(private_key.ExposeSecret());
  size_t size = key.public_key_.size();
  if (parsed == nullptr ||
      EVP_PKEY_get_raw_public_key(parsed.get(), key.public_key_.data(), &size) != 1) {
    return absl::InternalError("OpenSSL could not compute the X25519 public key");
  }
  return key;
}

struct Opener::Context {
  Context(const HpkePrivateKey& key, absl::string_view info)
      : schedule(key.public_key(), info),
        own(ParsePrivateKey(key.private_key().ExposeSecret())),
        peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, key.public_key().data(),
                                         key.public_key().size())),
        derivation(own == nullptr ? nullptr : EVP_PKEY_CTX_new(own.get(), nullptr)),
        aead(EVP_CIPHER_CTX_new()) {}

  // X25519 of the recipient's private key and enc. Every 32 bytes are an X25519 public key, and
  // DeriveX25519 refuses those of low order.
  bool Agree(absl::Span<const uint8_t> enc, SecretArray<kX25519Bytes>& point) {
    return EVP_PKEY_set1_encoded_public_key(peer.get(), enc.data(), enc.size()) == 1 &&
           DeriveX25519(derivation.get(), point);
  }

  HpkeSchedule schedule;
  EvpKey own;
  // `derivation` refers to this one object, which every enc is written into. Setting a peer anew
  // would allocate and take OpenSSL's global locks. If an OpenSSL copied the peer, nothing would
  // open.
  EvpKey peer;
  EvpKeyContext derivation;
  EvpCipherContext aead;
};

Opener::Opener(std::unique_ptr<Context> context) : context_(std::move(context)) {}
Opener::~Opener() = default;
Opener::Opener(Opener&&) noexcept = default;
Opener& Opener::operator=(Opener&&) noexcept = default;

absl::StatusOr<Opener> Opener::Create(const HpkePrivateKey& key, absl::string_view info) {
  const ErrorQueueScope errors;
  auto context = std::make_unique<Context>(key, info);
  if (context->peer == nullptr || context->derivation == nullptr || context->aead == nullptr ||
      EVP_PKEY_derive_init(context->derivation.get()) != 1 ||
      EVP_PKEY_derive_set_peer(context->derivation.get(), context->peer.get()) != 1 ||
      EVP_DecryptInit_ex2(context->aead.get(), EVP_aes_128_gcm(), nullptr, nullptr, nullptr) != 1) {
    return absl::InternalError("OpenSSL could not set up X25519 and AES-128-GCM");
  }
  return Opener(std::move(context));
}

bool Opener::Open(absl::Span<const uint8_t> sealed, absl::Span<uint8_t> plaintext) {
  return OpenWithAad(sealed, "", plaintext);
}

bool Opener::OpenWithAad(absl::Span<const uint8_t> sealed, absl::string_view aad,
                         absl::Span<uint8_t> plaintext) {
  TOMBOLA_CHECK(context_ != nullptr);
  const ErrorQueueScope errors;
  const absl::Span<const uint8_t> enc = sealed.first(std::min(sealed.size(), kEncBytes));
  SecretArray<kX25519Bytes> point;
  SecretArray<kSharedSecretBytes> shared_secret;
  AeadKeys keys;
  bool opened = sealed.size() >= kHpkeOverhead &&
                plaintext.size() == sealed.size() - kHpkeOverhead && context_->Agree(enc, point);
  if (opened) {
    context_->schedule.ExtractAndExpand(point, enc, shared_secret);
    context_->schedule.DeriveKeys(shared_secret, keys);
    opened = Decrypt(context_->aead.get(), keys, aad, sealed.subspan(kEncBytes), plaintext);
  }
  if (!opened && !plaintext.empty()) OPENSSL_cleanse(plaintext.data(), plaintext.size());
  return opened;
}

}  // namespace tombola::crypto
