// Two ways to learn, from a pilot group, how many pairs devices hold: the length that 90 % do not
// exceed.
#ifndef TOMBOLA_LAB_KEY_VALUE_LENGTH_H_
#define TOMBOLA_LAB_KEY_VALUE_LENGTH_H_

#include <cstdint>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"

namespace tombola::lab {

inline constexpr double kLengthShare = 0.9;

// `lengths[n]` devices of the pilot hold n pairs; lengths.size() is the number of keys + 1. Both
// leave every device epsilon, and give a length from 1 to the number of keys.

// HISKV's Algorithm 4 (OETL): every device sends its length by randomised response over 1 .. keys,
// and the least length is taken up to which the unbiased counts sum to more than 90 %. Lengths have
// no 0 there, so a device without pairs says 1.
int64_t OetlLength(absl::Span<const int64_t> lengths, double epsilon,
                   simulation::Generator& random);

// Threshold responses: a device draws one of the thresholds ceil(1.2^j) and says by randomised
// response whether its length exceeds it. The unbiased shares are made monotone (pool adjacent
// violators), and the length is where the line between them reaches 90 %, rounded.
int64_t ThresholdLength(absl::Span<const int64_t> lengths, double epsilon,
                        simulation::Generator& random);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_LENGTH_H_
