// The operating system's and OpenSSL's randomness, drawn in blocks.
#ifndef TOMBOLA_COMMON_RANDOM_SECURE_RANDOM_H_
#define TOMBOLA_COMMON_RANDOM_SECURE_RANDOM_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola {

// A cryptographic source: OpenSSL's private DRBG (AES-256-CTR, seeded with 256 bits from the
// kernel, reseeded by OpenSSL), read 4 KiB at a time because a call a draw would cost more than the
// draw. Bytes are wiped as they are handed out. A fork makes parent and child draw anew, so that
// they never share bits. Aborts if the system has no randomness to give: nothing private can be
// done without it.
//
// Not thread-safe: one a thread.
class SecureRandom final : public RandomSource {
 public:
  SecureRandom() = default;
  ~SecureRandom() override;
  SecureRandom(const SecureRandom&) = delete;
  SecureRandom& operator=(const SecureRandom&) = delete;

  uint64_t Next64() override;
  void Fill(absl::Span<uint8_t> out) override;

 private:
  static constexpr size_t kBlockBytes = 4096;

  // Makes at least `bytes` (<= kBlockBytes) available.
  void Ensure(size_t bytes);

  std::array<uint8_t, kBlockBytes> block_;
  size_t used_ = kBlockBytes;
  uint64_t fork_generation_ = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANDOM_SECURE_RANDOM_H_
