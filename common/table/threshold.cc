#include "common/table/threshold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tombola::mechanism {

double FractionRoundedDown(uint64_t threshold) {
  const int excess = std::bit_width(threshold) - std::numeric_limits<double>::digits;
  if (excess > 0) threshold = threshold >> excess << excess;
  return std::ldexp(static_cast<double>(threshold), -64);
}

double ComplementOf(uint64_t threshold) { return std::ldexp(static_cast<double>(-threshold), -64); }

uint64_t BlanketThreshold(double range, double kappa) {
  constexpr double kRoundUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  const double scaled = std::ceil(std::ldexp(range / (kappa + range) * kRoundUp, 64));
  if (scaled >= std::ldexp(1.0, 64)) return ~uint64_t{0};
  return std::max<uint64_t>(1, static_cast<uint64_t>(scaled));
}

}  // namespace tombola::mechanism
