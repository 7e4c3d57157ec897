// The two families of hash functions of local hashing, as pure functions.
#ifndef TOMBOLA_COMMON_TABLE_HASH_FAMILY_H_
#define TOMBOLA_COMMON_TABLE_HASH_FAMILY_H_

#include <cstdint>

namespace tombola::mechanism {

enum class HashFamily {
  // The parallel classes of lines of the affine plane over the field of q elements, q prime. Any
  // two values collide in exactly one of the q + 1 functions.
  kPlane,
  // The leading bits of multiplier * value + offset modulo 2^lane_bits. Strongly universal.
  kAffine,
};

// The probability with which a uniform function of the family gives two different values the same
// bucket, rounded down: 1 / (range + 1) in the plane, 1 / range in the affine family.
double CollisionOf(HashFamily family, double range);

// The same for a family of which only the range is known: a prime is a plane's, a power of two the
// affine family's, of 2 it is the lesser, and 0 where no family has this range.
double CollisionOf(double range);

// The least b with b * b >= x.
uint64_t CeilSqrt(uint64_t x);

bool IsPrime(uint64_t x);

// The least prime >= x.
uint64_t NextPrime(uint64_t x);

// The bucket of `value` = (value div side, value mod side) = (v1, v0) under function a of the plane
// of prime order q: a * v1 + v0 mod q for a < q, and v1 for a = q. Needs value < side * side,
// side <= order < 2^31, function <= order.
inline uint32_t PlaneBucket(uint32_t function, uint64_t value, uint64_t side, uint64_t order) {
  const uint64_t v1 = value / side;
  const uint64_t v0 = value % side;
  const uint64_t vertical = function == order ? 1 : 0;
  const uint64_t slanted = (function * v1 + v0) % order;
  return static_cast<uint32_t>(vertical * v1 + (1 - vertical) * slanted);
}

// The leading range_bits bits of multiplier * value + offset modulo 2^lane_bits. With multiplier
// and offset uniform below 2^lane_bits, the buckets of any two values below
// 2^(lane_bits - range_bits + 1) are uniform and independent (Dietzfelbinger's multiply-shift).
// 1 <= range_bits <= lane_bits <= 64, range_bits <= 32.
inline uint32_t AffineBucket(uint64_t multiplier, uint64_t offset, uint64_t value, int lane_bits,
                             int range_bits) {
  const uint64_t word = (multiplier * value + offset) << (64 - lane_bits);
  return static_cast<uint32_t>(word >> (64 - range_bits));
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_HASH_FAMILY_H_
