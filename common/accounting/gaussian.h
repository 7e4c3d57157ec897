// Gaussian differential privacy: the curve that a large shuffled batch tends to, and the yardstick
// of the central Gaussian mechanism. Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_GAUSSIAN_H_
#define TOMBOLA_COMMON_ACCOUNTING_GAUSSIAN_H_

#include "absl/status/statusor.h"

namespace tombola::accounting {

// Telling N(0, 1) from N(theta, 1): the delta at epsilon is
// Phi(theta/2 - epsilon/theta) - e^epsilon Phi(-theta/2 - epsilon/theta) (Dong, Roth, Su, "Gaussian
// differential privacy", Corollary 2.13). theta > 0, epsilon >= 0; above 700, where e^epsilon
// overflows, the first term alone, an upper bound.
double GaussianDelta(double theta, double epsilon);

// The theta at which GaussianDelta equals delta: the largest that is (epsilon, delta)-DP, to about
// 1e-12 relative. InvalidArgument unless epsilon is finite and > 0 and delta in (0, 1).
absl::StatusOr<double> GaussianTheta(double epsilon, double delta);

// The epsilon in [0, 700] at which GaussianDelta equals delta, to about 1e-12; 0 if delta is that
// large and 700 if delta is that small. theta > 0, delta in (0, 1).
double GaussianEpsilon(double theta, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_GAUSSIAN_H_
