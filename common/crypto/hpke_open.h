// HPKE, the recipient's half. Linked by the collector and the tools only: the client and the
// shuffler must not be able to open a report.
#ifndef TOMBOLA_COMMON_CRYPTO_HPKE_OPEN_H_
#define TOMBOLA_COMMON_CRYPTO_HPKE_OPEN_H_

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/secret_bytes.h"
#include "common/random/random_source.h"

namespace tombola::crypto {

// An X25519 key pair to which reports are sealed. Movable. Thread-compatible.
class HpkePrivateKey {
 public:
  static absl::StatusOr<HpkePrivateKey> Generate(RandomSource& random);
  // InvalidArgument unless it has 32 bytes.
  static absl::StatusOr<HpkePrivateKey> FromBytes(const SecretBytes& private_key);

  // 32 bytes, valid as long as this object.
  absl::Span<const uint8_t> public_key() const { return public_key_; }
  const SecretBytes& private_key() const { return private_key_; }

 private:
  HpkePrivateKey() = default;

  SecretBytes private_key_;
  std::array<uint8_t, kHpkePublicKeyBytes> public_key_ = {};
};

// Opens what was sealed to one key with one info (RFC 9180 base mode, see hpke_suite.h), with empty
// AAD.
//
// Guarantees: a plaintext comes out only if somebody sealed exactly these bytes to this key under
// this info. Does not guarantee: by whom, or how often (see Sealer).
//
// NOT thread-safe: one a thread. Movable; a moved-from Opener may only be destroyed or assigned to.
class Opener {
 public:
  // Internal if OpenSSL fails.
  static absl::StatusOr<Opener> Create(const HpkePrivateKey& key, absl::string_view info);
  ~Opener();
  Opener(Opener&&) noexcept;
  Opener& operator=(Opener&&) noexcept;

  // sealed = enc || ciphertext || tag. True if it opened; then `plaintext`, which has
  // sealed.size() - kHpkeOverhead bytes, holds the report. False for everything else (too short, a
  // plaintext buffer of another size, a low-order enc, another key or info, a changed byte), all
  // alike and without a text; `plaintext` is then zero. The work depends on sealed's length and on
  // whether enc has low order, both public, and on nothing secret. Allocates nothing.
  // The buffers do not overlap.
  bool Open(absl::Span<const uint8_t> sealed, absl::Span<uint8_t> plaintext);

 private:
  friend struct OpenerForTest;
  struct Context;

  explicit Opener(std::unique_ptr<Context> context);
  bool OpenWithAad(absl::Span<const uint8_t> sealed, absl::string_view aad,
                   absl::Span<uint8_t> plaintext);

  std::unique_ptr<Context> context_;
};

// For the published test vectors, which have associated data.
struct OpenerForTest {
  static bool OpenWithAad(Opener& opener, absl::Span<const uint8_t> sealed, absl::string_view aad,
                          absl::Span<uint8_t> plaintext) {
    return opener.OpenWithAad(sealed, aad, plaintext);
  }
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HPKE_OPEN_H_
