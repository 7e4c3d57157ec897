// The ways to turn raw estimates into what is shown.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_POSTPROCESS_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_POSTPROCESS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::collector {

// Which one helps depends on the data. The average squared error, divided by that of the raw
// estimates, of grr with 100,000 devices and 1,000 values (postprocess_test.cc), where gamma is
// the probability of a uniform answer (0.43: epsilon 0.5 at delta 1e-6; 0.95: far noisier) and a
// value that nobody holds exceeds the threshold with probability 1e-4:
//
//   data                     gamma  pop   norm_sub  base_cut  em
//   all values alike         0.43   1.00  1.00      1.00      1.00
//   Zipf 1.1                 0.43   0.92  5.2       2.0       0.93
//   Zipf 2                   0.43   0.51  0.70      0.51      16
//   ten values hold all      0.43   0.39  0.33      0.37      5.9
//   all values alike         0.95   0.44  200       0.27      0.42
//   Zipf 1.1                 0.95   0.27  2.6       0.26      0.32
//   Zipf 2                   0.95   0.12  0.21      0.10      1.1
//   ten values hold all      0.95   0.10  0.05      0.06      0.47
//
// pop never hurts. The cuts help where most values are held by nobody and hurt where many are held
// by a few: norm_sub then gives the share of the rare to the frequent, base_cut loses it. em pays
// for noise that it takes for rare values in proportion to the count, so that the frequent ones
// come out low: it is for data without very frequent values, or where the rare matter most.
enum class Postprocess {
  kNone,     // the raw estimates: unbiased, may be negative
  kPop,      // pop.h: the nearest histogram
  kNormSub,  // norm_sub.h: the nearest histogram on the values that stand out of the noise
  kBaseCut,  // base_cut.h: the raw estimates of the values that stand out of the noise
  kEm,       // likelihood.h: the most likely histogram
  kClip,     // each estimate for itself, into [0, 1]: for shares that need not sum to one
};

// What the ways need; each takes its own part.
struct PostprocessInput {
  absl::Span<const double> raw;      // all but kEm
  absl::Span<const int64_t> counts;  // kEm
  // kNormSub, kBaseCut: below this an estimate could be noise alone.
  double threshold = 0;
  // kEm: the expected count of a value that nobody holds, and what it gains if all hold it.
  double background = 0;
  double signal = 0;
};

// One entry for each value. Pure; privacy is untouched. The status is that of the way chosen.
absl::StatusOr<std::vector<double>> Process(Postprocess how, const PostprocessInput& input);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_POSTPROCESS_H_
