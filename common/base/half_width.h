// The one notion of error that people are told: the half-width of a 95 % interval.
#ifndef TOMBOLA_COMMON_BASE_HALF_WIDTH_H_
#define TOMBOLA_COMMON_BASE_HALF_WIDTH_H_

#include <cmath>

namespace tombola {

// Beyond so many standard deviations to either side of its mean a normal number has 5 %.
inline constexpr double kDeviationsOf95 = 1.959963984540054;

// Of an unbiased and nearly normal estimate with this variance, or mean squared error, >= 0: 95 of
// 100 are no further than this from the truth.
inline double HalfWidth95(double variance) { return kDeviationsOf95 * std::sqrt(variance); }

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_HALF_WIDTH_H_
