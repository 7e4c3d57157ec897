// The half of HPKE that sealing and opening share: from a Diffie-Hellman result to an AEAD key.
#ifndef TOMBOLA_COMMON_CRYPTO_HPKE_SCHEDULE_H_
#define TOMBOLA_COMMON_CRYPTO_HPKE_SCHEDULE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/openssl_handles.h"

namespace tombola::crypto {

inline constexpr size_t kX25519Bytes = 32;
inline constexpr size_t kSharedSecretBytes = 32;
inline constexpr size_t kAeadKeyBytes = 16;
inline constexpr size_t kAeadNonceBytes = 12;

// What the AEAD of one message is run with. The base nonce is the nonce of sequence number 0.
struct AeadKeys {
  SecretArray<kAeadKeyBytes> key;
  SecretArray<kAeadNonceBytes> base_nonce;
};

// The key schedule for one recipient and one info. What does not depend on the message is computed
// at construction; the other members allocate nothing. Holds no secret. It knows neither how to
// seal nor how to open: those are libraries of their own.
//
// Thread-compatible. Internal to this folder: its header includes OpenSSL's.
class HpkeSchedule {
 public:
  // recipient: the recipient's public key, kHpkePublicKeyBytes.
  HpkeSchedule(absl::Span<const uint8_t> recipient, absl::string_view info);

  // ExtractAndExpand of the KEM (RFC 9180, section 4.1) with kem_context = enc || recipient.
  // `point` is the raw X25519 result: the caller has refused an all-zero one.
  void ExtractAndExpand(const SecretArray<kX25519Bytes>& point, absl::Span<const uint8_t> enc,
                        SecretArray<kSharedSecretBytes>& shared_secret) const;

  // KeySchedule (RFC 9180, section 5.1), mode_base, without the exporter secret.
  void DeriveKeys(const SecretArray<kSharedSecretBytes>& shared_secret, AeadKeys& keys) const;

 private:
  std::array<uint8_t, kHpkePublicKeyBytes> recipient_;
  std::array<uint8_t, 1 + 32 + 32> context_;  // mode || psk_id_hash || info_hash
};

// X25519 with the private key and the peer that are set in `derivation`. False if it failed or the
// result is all zero, which a peer of low order forces (RFC 9180, section 7.1.4).
bool DeriveX25519(EVP_PKEY_CTX* derivation, SecretArray<kX25519Bytes>& point);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HPKE_SCHEDULE_H_
