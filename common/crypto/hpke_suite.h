// The one HPKE suite of this project: RFC 9180, base mode, DHKEM(X25519, HKDF-SHA256) 0x0020,
// HKDF-SHA256 0x0001, AES-128-GCM 0x0001. One message a context, so the sequence number is always
// 0.
#ifndef TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_
#define TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_

#include <cstddef>

namespace tombola::crypto {

inline constexpr size_t kHpkePublicKeyBytes = 32;
inline constexpr size_t kHpkePrivateKeyBytes = 32;
inline constexpr size_t kEncBytes = 32;
inline constexpr size_t kTagBytes = 16;
// What sealing adds to a plaintext: enc before it, the tag after it.
inline constexpr size_t kHpkeOverhead = kEncBytes + kTagBytes;

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HPKE_SUITE_H_
