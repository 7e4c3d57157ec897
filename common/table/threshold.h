// Probabilities as 64-bit whole numbers.
#ifndef TOMBOLA_COMMON_TABLE_THRESHOLD_H_
#define TOMBOLA_COMMON_TABLE_THRESHOLD_H_

#include <cstdint>

namespace tombola::mechanism {

// threshold / 2^64, rounded down.
double FractionRoundedDown(uint64_t threshold);

// 1 - threshold / 2^64 for threshold >= 1, to the last digit also where the two are close.
double ComplementOf(uint64_t threshold);

// The threshold of the blanket's probability gamma = range / (kappa + range), rounded up, which is
// the private side, and kept in [1, 2^64 - 1]. kappa = e^(local epsilon) - 1 > 0.
uint64_t BlanketThreshold(double range, double kappa);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_THRESHOLD_H_
