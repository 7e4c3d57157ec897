// The short name of an HPKE public key.
#ifndef TOMBOLA_COMMON_CRYPTO_KEY_ID_H_
#define TOMBOLA_COMMON_CRYPTO_KEY_ID_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace tombola::crypto {

inline constexpr size_t kHpkeKeyIdBytes = 8;

// The first 8 bytes of SHA-256(public key). It tells honest keys apart; at 64 bits it does not
// bind: whoever makes keys can find two with one id in about 2^32 steps.
std::array<uint8_t, kHpkeKeyIdBytes> HpkeKeyId(absl::Span<const uint8_t> public_key);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_KEY_ID_H_
