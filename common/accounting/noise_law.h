// The laws of the noise that dummies put on one value's count, as tables.
#ifndef TOMBOLA_COMMON_ACCOUNTING_NOISE_LAW_H_
#define TOMBOLA_COMMON_ACCOUNTING_NOISE_LAW_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tombola::accounting {

// The widest noise that is tabulated.
inline constexpr double kLargestDeviation = 1e5;
// Of a Poisson law that is tabulated. More dummies only help: those beyond may be left out.
inline constexpr double kLargestPoissonMean = kLargestDeviation * kLargestDeviation * (1 - 1e-9);

// A log-concave law on the integers from 0: its probabilities, to about 1e-12 relative, on a window
// beyond which lies next to nothing. What the window leaves out is stated, so that an accountant
// can charge it. Immutable by convention; a value, safe to read from any thread.
struct NoiseLaw {
  int64_t low = 0;          // the window's first point; pmf[i] = Pr[X = low + i] > 0
  std::vector<double> pmf;  // never empty
  double below = 0;         // at least Pr[X < low]; at most 1e-40
  double above = 0;         // at least Pr[X > high()]; at most 1e-40 for each law added up

  int64_t high() const { return low + static_cast<int64_t>(pmf.size()) - 1; }
  double missing() const { return below + above; }
};

// Each is InvalidArgument, naming the field and its bound, unless the parameters are in range and
// the standard deviation is at most kLargestDeviation.

// mean > 0.
absl::StatusOr<NoiseLaw> PoissonNoise(double mean);

// Coins of probability `success` in (0, 1), one for each of `trials` in [1, 2^40].
absl::StatusOr<NoiseLaw> BinomialNoise(int64_t trials, double success);

// Pr[X = k] = Gamma(k + shape) / (k! Gamma(shape)) success^k (1 - success)^shape, success in (0,
// 1). Log-concave from shape 1 on; a smaller one is refused.
absl::StatusOr<NoiseLaw> NegativeBinomialNoise(double shape, double success);

// The law of X + G for X ~ `law` and an independent geometric G, Pr[G = k] = (1 - q) q^k with
// q = e^-rate; rate >= 1 / kLargestDeviation. Log-concave, as a convolution of such laws is.
NoiseLaw PlusGeometric(const NoiseLaw& law, double rate);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_NOISE_LAW_H_
