// Exact draws of discrete Laplace and discrete Gaussian noise: whole numbers, by comparing uniform
// whole numbers, so that no rounding of a floating-point number shows what it was added to
// (Mironov, "On significance of the least significant bits for differential privacy", 2012). The
// algorithms are those of Canonne, Kamath and Steinke, "The discrete Gaussian for differential
// privacy", 2020. The number of words that a draw takes varies, and so does its time.
#ifndef TOMBOLA_COMMON_RANDOM_DISCRETE_NOISE_H_
#define TOMBOLA_COMMON_RANDOM_DISCRETE_NOISE_H_

#include <cstdint>

#include "common/random/random_source.h"

namespace tombola {

// Rates are multiples of 2^-52.
inline constexpr uint64_t kRateUnits = uint64_t{1} << 52;
inline constexpr uint64_t kLargestRate = kRateUnits << 10;

// Pr[X = k] proportional to exp(-rate |k|) with rate = units / kRateUnits, units in
// [1, kLargestRate].
int64_t DrawDiscreteLaplace(uint64_t units, RandomSource& random);

// Its variance, 2 e^-rate / (1 - e^-rate)^2, for rate > 0.
double DiscreteLaplaceVariance(double rate);

inline constexpr uint64_t kLargestGaussianVariance = uint64_t{1} << 56;

// Pr[X = k] proportional to exp(-k^2 / (2 variance)), variance in [1, kLargestGaussianVariance]. It
// is the true variance's least upper bound, below it by less than 1e-6 from 1 on (by nothing that a
// double can hold from 4 on). Points that have a probability below e^-400 together are left out.
int64_t DrawDiscreteGaussian(uint64_t variance, RandomSource& random);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANDOM_DISCRETE_NOISE_H_
