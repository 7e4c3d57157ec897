// The one HPKE suite of this project: RFC 9180, base mode, DHKEM(X25519, HKDF-SHA256) 0x0020,
// HKDF-SHA256 0x0001, AES-128-GCM 0x0001. One message a context, so the sequence number is always
// 0.
#ifndef TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_
#define TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tombola::crypto {

inline constexpr size_t kHpkePublicKeyBytes = 32;
inline constexpr size_t kHpkePrivateKeyBytes = 32;
inline constexpr size_t kEncBytes = 32;
inline constexpr size_t kTagBytes = 16;
// What sealing adds to a plaintext: enc before it, the tag after it.
inline constexpr size_t kHpkeOverhead = kEncBytes + kTagBytes;

inline constexpr size_t kHpkeKeyIdBytes = 8;

// The short name of a public key: the first 8 bytes of SHA-256(public key). It tells honest keys
// apart; at 64 bits it does not bind: whoever makes keys can find two with one id in about 2^32
// steps.
std::array<uint8_t, kHpkeKeyIdBytes> HpkeKeyId(absl::Span<const uint8_t> public_key);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_
