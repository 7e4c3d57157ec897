// Sealing what one's own programs put on disk: AES-256-GCM under a key that lies elsewhere.
#ifndef TOMBOLA_COMMON_CRYPTO_SEALING_KEY_H_
#define TOMBOLA_COMMON_CRYPTO_SEALING_KEY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/secret_bytes.h"
#include "common/random/random_source.h"

namespace tombola::crypto {

inline constexpr size_t kSealingKeyBytes = 32;
// What sealing adds: a nonce in front and a tag behind.
inline constexpr size_t kSealOverhead = 12 + 16;

// Guarantees: what was sealed shows nothing but its length, and opens only if it was sealed with
// this key and for the same `place`, which says where it stands: so no piece can be taken for
// another. Does not guarantee: that it is the newest that was sealed for the place.
//
// Nonces are random: a key is for at most 2^32 pieces. Thread-safe. Movable.
class SealingKey {
 public:
  static SealingKey Draw(RandomSource& random);
  // InvalidArgument unless it has 32 bytes.
  static absl::StatusOr<SealingKey> FromBytes(SecretBytes bytes);

  const SecretBytes& bytes() const { return bytes_; }

  // `secret` has at most 2^30 bytes. `random` is a cryptographic source.
  std::string Seal(absl::Span<const uint8_t> secret, absl::string_view place,
                   RandomSource& random) const;
  // DataLoss for everything that was not sealed so, without a text that says why.
  absl::StatusOr<SecretBytes> Open(absl::string_view sealed, absl::string_view place) const;

 private:
  explicit SealingKey(SecretBytes bytes) : bytes_(std::move(bytes)) {}

  SecretBytes bytes_;
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_SEALING_KEY_H_
