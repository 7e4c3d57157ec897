#include "common/random/random_source.h"

#include "common/base/check.h"

namespace tombola {

uint64_t UniformBelow(uint64_t bound, RandomSource& random) {
  TOMBOLA_CHECK(bound >= 1);
  __uint128_t product = static_cast<__uint128_t>(random.Next64()) * bound;
  uint64_t low = static_cast<uint64_t>(product);
  if (low < bound) {
    // 2^64 mod bound low words belong to no full block: they are drawn again.
    const uint64_t excess = -bound % bound;
    while (low < excess) {
      product = static_cast<__uint128_t>(random.Next64()) * bound;
      low = static_cast<uint64_t>(product);
    }
  }
  return static_cast<uint64_t>(product >> 64);
}

}  // namespace tombola
