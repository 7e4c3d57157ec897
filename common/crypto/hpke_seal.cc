#include "common/crypto/hpke_seal.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/crypto/hpke_schedule.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {
namespace {

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

EvpKey ParsePublicKey(absl::Span<const uint8_t> bytes) {
  return EvpKey(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size()));
}

// The generator of X25519 (RFC 7748, section 4.1).
constexpr std::array<uint8_t, kX25519Bytes> kBasePoint = {9};

// Stands where a private key has been or will be.
constexpr std::array<uint8_t, kX25519Bytes> kNoKey = {1};

// X25519 with private keys that are used once, without an allocation of contexts for each. OpenSSL
// computes the public key of every private key that it is given alone, by a multiplication of the
// base point that takes longer than the ladder of a derivation. So a key comes with a public key
// that nobody reads, and the true one is derived: a private key's public key is X25519 of it and
// the base point.
class Ephemeral {
 public:
  Ephemeral()
      : own_(EVP_PKEY_new()),
        base_point_(ParsePublicKey(kBasePoint)),
        import_(EVP_PKEY_CTX_new_from_name(nullptr, "X25519", nullptr)) {}

  // False if OpenSSL failed; then nothing else may be called.
  bool SetUp() {
    if (own_ == nullptr || base_point_ == nullptr || import_ == nullptr ||
        EVP_PKEY_fromdata_init(import_.get()) != 1 || !Import(kNoKey)) {
      return false;
    }
    // Refers to this one key object, whose content every message replaces.
    derivation_.reset(EVP_PKEY_CTX_new(own_.get(), nullptr));
    return derivation_ != nullptr;
  }

  // enc becomes the public key of `private_key`, point X25519 of it and the peer's public key.
  // Nothing of the private key is left behind. The peer was checked when its Sealer was made, so
  // OpenSSL's validation is off.
  bool Agree(absl::Span<const uint8_t> private_key, EVP_PKEY* peer, absl::Span<uint8_t> enc,
             SecretArray<kX25519Bytes>& point) {
    size_t size = enc.size();
    const bool agreed =
        Import(private_key) && EVP_PKEY_derive_init(derivation_.get()) == 1 &&
        SetPeer(base_point_.get()) && EVP_PKEY_derive(derivation_.get(), enc.data(), &size) == 1 &&
        size == enc.size() && SetPeer(peer) && DeriveX25519(derivation_.get(), point);
    return Forget() && agreed;
  }

 private:
  bool Import(absl::Span<const uint8_t> private_key) {
    // OpenSSL takes what it only reads through pointers to non-const.
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PRIV_KEY, const_cast<uint8_t*>(private_key.data()), private_key.size()),
        OSSL_PARAM_construct_octet_string(
            OSSL_PKEY_PARAM_PUB_KEY, const_cast<uint8_t*>(kBasePoint.data()), kBasePoint.size()),
        OSSL_PARAM_construct_end()};
    EVP_PKEY* key = own_.get();
    return EVP_PKEY_fromdata(import_.get(), &key, EVP_PKEY_KEYPAIR, parameters) == 1;
  }

  // The key is in two places: the key object, and the operation that the derivation began.
  // Beginning another kind of operation ends that one without looking for an algorithm as
  // derive_init does.
  bool Forget() {
    const bool ended = EVP_PKEY_fromdata_init(derivation_.get()) == 1;
    return Import(kNoKey) && ended;
  }

  bool SetPeer(EVP_PKEY* peer) {
    return EVP_PKEY_derive_set_peer_ex(derivation_.get(), peer, /*validate_peer=*/0) == 1;
  }

  EvpKey own_;
  EvpKey base_point_;
  EvpKeyContext import_;
  EvpKeyContext derivation_;
};

}  // namespace

struct Sealer::Context {
  Context(absl::Span<const uint8_t> public_key, absl::string_view info)
      : schedule(public_key, info),
        recipient(ParsePublicKey(public_key)),
        aead(EVP_CIPHER_CTX_new()) {}

  bool RecipientIsOfLowOrder() {
    // Any scalar shows it: X25519 clears the cofactor from every one of them.
    std::array<uint8_t, kX25519Bytes> unused;
    SecretArray<kX25519Bytes> point;
    return !ephemeral.Agree(kNoKey, recipient.get(), absl::MakeSpan(unused), point);
  }

  HpkeSchedule schedule;
  EvpKey recipient;
  Ephemeral ephemeral;
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
  if (context->recipient == nullptr || context->aead == nullptr || !context->ephemeral.SetUp() ||
      EVP_EncryptInit_ex2(context->aead.get(), EVP_aes_128_gcm(), nullptr, nullptr, nullptr) != 1) {
    return absl::InternalError("OpenSSL could not set up X25519 and AES-128-GCM");
  }
  if (context->RecipientIsOfLowOrder()) {
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
  SecretArray<kX25519Bytes> point;
  if (!context_->ephemeral.Agree(ephemeral, context_->recipient.get(), enc, point)) {
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
