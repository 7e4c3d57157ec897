#include "common/table/hash_family.h"

#include <bit>
#include <cmath>

namespace tombola::mechanism {

double CollisionOf(HashFamily family, double range) {
  return family == HashFamily::kPlane ? std::nextafter(1 / (range + 1), 0) : 1 / range;
}

double CollisionOf(double range) {
  constexpr double kMaxRange = 2147483648.0;
  if (!(range >= 2 && range <= kMaxRange) || range != std::floor(range)) return 0;
  const auto buckets = static_cast<uint64_t>(range);
  if (IsPrime(buckets)) return CollisionOf(HashFamily::kPlane, range);
  return std::has_single_bit(buckets) ? CollisionOf(HashFamily::kAffine, range) : 0;
}

uint64_t CeilSqrt(uint64_t x) {
  uint64_t root = static_cast<uint64_t>(std::sqrt(static_cast<double>(x)));
  while (root * root < x) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= x) --root;
  return root;
}

bool IsPrime(uint64_t x) {
  if (x < 4) return x >= 2;
  if (x % 2 == 0) return false;
  for (uint64_t divisor = 3; divisor * divisor <= x; divisor += 2) {
    if (x % divisor == 0) return false;
  }
  return true;
}

uint64_t NextPrime(uint64_t x) {
  while (!IsPrime(x)) ++x;
  return x;
}

}  // namespace tombola::mechanism
