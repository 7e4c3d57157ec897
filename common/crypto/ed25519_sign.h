// Ed25519 (RFC 8032), the signing half. The client does not link it.
#ifndef TOMBOLA_COMMON_CRYPTO_ED25519_SIGN_H_
#define TOMBOLA_COMMON_CRYPTO_ED25519_SIGN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/crypto/secret_bytes.h"
#include "common/random/random_source.h"

namespace tombola::crypto {

inline constexpr size_t kEd25519SeedBytes = 32;

// A party's long-term key: the collector signs key lists with it, the shuffler manifests,
// progress and its time.
//
// Thread-safe once made: Sign may be called from several threads at once. Movable; a moved-from key
// may only be destroyed or assigned to.
class SigningKey {
 public:
  static absl::StatusOr<SigningKey> Generate(RandomSource& random);
  // InvalidArgument unless the seed, RFC 8032's private key, has 32 bytes.
  static absl::StatusOr<SigningKey> FromSeed(const SecretBytes& seed);
  ~SigningKey();
  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;

  std::array<uint8_t, 32> public_key() const { return public_key_; }
  const SecretBytes& seed() const { return seed_; }

  // 64 bytes, the same for the same message. Aborts if OpenSSL runs out of memory.
  std::string Sign(absl::string_view message) const;
  // Signs `message` for one purpose, which `context` names: the signature is of both, one after the
  // other, as VerifyEd25519 with a context expects.
  std::string Sign(absl::string_view context, absl::string_view message) const;

 private:
  struct Handle;

  SigningKey();

  SecretBytes seed_;
  std::array<uint8_t, 32> public_key_ = {};
  std::unique_ptr<Handle> handle_;
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_ED25519_SIGN_H_
