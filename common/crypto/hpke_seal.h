// HPKE, the sender's half: seals a report so that only the collector opens it.
#ifndef TOMBOLA_COMMON_CRYPTO_HPKE_SEAL_H_
#define TOMBOLA_COMMON_CRYPTO_HPKE_SEAL_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/hpke_suite.h"
#include "common/random/random_source.h"

namespace tombola::crypto {

// Seals to one public key with one info (RFC 9180 base mode, see hpke_suite.h), with empty AAD.
//
// Guarantees: only the private key's holder, given the same info, opens what is sealed; what was
// changed does not open; two seals of one plaintext have nothing in common. Forward secret on the
// sender's side: the ephemeral key is gone when Seal returns.
// Does not guarantee: who sealed it (anybody may), or that it was sealed once (a copy opens again).
// The length of the plaintext shows.
//
// NOT thread-safe: one a thread. Movable; a moved-from Sealer may only be destroyed or assigned to.
class Sealer {
 public:
  // InvalidArgument for a public key that is not 32 bytes or is a point of low order, with which
  // every shared secret would be zero.
  static absl::StatusOr<Sealer> Create(absl::Span<const uint8_t> public_key,
                                       absl::string_view info);
  ~Sealer();
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) noexcept;

  // Writes enc || ciphertext || tag to `out`, under a fresh ephemeral key drawn from `random`.
  // InvalidArgument unless out.size() == plaintext.size() + kHpkeOverhead; Internal if OpenSSL
  // fails, and then nothing of `out` may be used. `out` and `plaintext` do not overlap.
  absl::Status Seal(absl::Span<const uint8_t> plaintext, RandomSource& random,
                    absl::Span<uint8_t> out);

 private:
  friend struct SealerForTest;
  struct Context;

  explicit Sealer(std::unique_ptr<Context> context);
  absl::Status SealWithEphemeral(absl::Span<const uint8_t> ephemeral, absl::string_view aad,
                                 absl::Span<const uint8_t> plaintext, absl::Span<uint8_t> out);

  std::unique_ptr<Context> context_;
};

// For the published test vectors only: an ephemeral private key that is used twice gives both
// plaintexts away.
struct SealerForTest {
  static absl::Status SealWithEphemeral(Sealer& sealer, absl::Span<const uint8_t> ephemeral,
                                        absl::string_view aad, absl::Span<const uint8_t> plaintext,
                                        absl::Span<uint8_t> out) {
    return sealer.SealWithEphemeral(ephemeral, aad, plaintext, out);
  }
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HPKE_SEAL_H_
