// The interval of a released total.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_TOTAL_INTERVAL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_TOTAL_INTERVAL_H_

#include <cstdint>

#include "common/stream/release.h"

namespace tombola::collector {

enum class NoiseKind { kGaussian, kAny };

// How many standard errors an interval of this confidence in (0, 1) is on either side: those of a
// normal law or, if noise may be a sum of Laplace noises, those of one Laplace law if they are
// more. Rounded to whole numbers outwards the interval then has the true total at least so often as
// far as has been computed (cli/stream/total_lines_test.cc).
double DeviationsOf(double confidence, NoiseKind noise);

// The ends of the interval.
struct TotalInterval {
  int64_t low = 0, high = 0;
};
TotalInterval IntervalOf(const stream::NoisyTotal& total, double deviations);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_TOTAL_INTERVAL_H_
