// SHA-256 (FIPS 180-4).
#ifndef TOMBOLA_COMMON_CRYPTO_SHA256_H_
#define TOMBOLA_COMMON_CRYPTO_SHA256_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::crypto {

inline constexpr size_t kSha256Bytes = 32;
using Sha256Digest = std::array<uint8_t, kSha256Bytes>;

// The digest of `data`. Allocates nothing and cannot fail. Thread-safe, as are those below.
Sha256Digest Sha256(absl::string_view data);
Sha256Digest Sha256(absl::Span<const uint8_t> data);

// The digest of the parts one after the other, with nothing between them: the lengths of the parts
// are not bound in. A caller whose parts have no fixed length puts the lengths in as parts.
Sha256Digest Sha256(std::initializer_list<absl::string_view> parts);
Sha256Digest Sha256(absl::Span<const absl::string_view> parts);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_SHA256_H_
