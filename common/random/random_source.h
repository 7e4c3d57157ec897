// Where random bits come from, and unbiased draws from them.
#ifndef TOMBOLA_COMMON_RANDOM_RANDOM_SOURCE_H_
#define TOMBOLA_COMMON_RANDOM_RANDOM_SOURCE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tombola {

// Uniform, independent bits. Not thread-safe: one a thread. Devices and daemons
// use SecureRandom and nothing else; other implementations are for tests and simulations.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual uint64_t Next64() = 0;
  virtual void Fill(absl::Span<uint8_t> out) = 0;
};

// Uniform on {0, ..., bound - 1}, exactly: Lemire's multiplication with rejection. bound >= 1.
uint64_t UniformBelow(uint64_t bound, RandomSource& random);

// True with probability threshold / 2^64, exactly.
inline bool BernoulliBelow(uint64_t threshold, RandomSource& random) {
  return random.Next64() < threshold;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANDOM_RANDOM_SOURCE_H_
