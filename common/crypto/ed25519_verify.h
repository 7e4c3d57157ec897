// Ed25519 (RFC 8032), the verifying half.
#ifndef TOMBOLA_COMMON_CRYPTO_ED25519_VERIFY_H_
#define TOMBOLA_COMMON_CRYPTO_ED25519_VERIFY_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::crypto {

inline constexpr size_t kEd25519PublicKeyBytes = 32;
inline constexpr size_t kEd25519SignatureBytes = 64;

// Whether `signature` (64 bytes) is one of `message` under `public_key` (32 bytes). False for a key
// or a signature of another size. Thread-safe.
//
// Guarantees that the key's holder signed this message. Does not say for what: a signed message
// names its own purpose, so that a signature made for one cannot be shown for another.
bool VerifyEd25519(absl::Span<const uint8_t> public_key, absl::string_view message,
                   absl::string_view signature);
// The same for what was signed for the purpose that `context` names.
bool VerifyEd25519(absl::Span<const uint8_t> public_key, absl::string_view context,
                   absl::string_view message, absl::string_view signature);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_ED25519_VERIFY_H_
