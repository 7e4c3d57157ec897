// The ways to turn raw estimates into what is shown.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_POSTPROCESS_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_POSTPROCESS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::collector {

// Projection. The point of the simplex (all entries >= 0, sum 1) that is nearest to the raw
// estimates in Euclidean distance: max(x - tau, 0), with tau such that the sum is one (Eq. (22)
// with the right set of positive entries; one pass over {x > 0} is not enough, see docs/errata.md).
//
// Guarantees: the squared error against any true histogram never grows. Uses nothing but the
// estimates, so privacy is untouched. Does not guarantee unbiasedness: rare values come out too
// high, so publish the raw estimates beside these.
//
// O(d) expected, O(d log d) at worst. InvalidArgument if the span is empty or an entry is not
// finite.
absl::StatusOr<std::vector<double>> Pop(absl::Span<const double> estimates);

// A cut: what could be noise is dropped. Entries below the threshold become 0, the others stay what
// they were: neither lifted nor lowered to make up for the rest, so that a frequent value's
// estimate is the unbiased one. Does not guarantee that the result sums to one, or lies in [0, 1]
// where the threshold is negative.
//
// Uses nothing but the estimates, so privacy is untouched. InvalidArgument if the span is empty, an
// entry is not finite, or the threshold is not.
absl::StatusOr<std::vector<double>> BaseCut(absl::Span<const double> raw, double threshold);

// A cut and a projection. Entries below the threshold become 0; the others are projected on the
// simplex among themselves (Pop), so that the result has no negative entry and sums to one. A
// threshold at or below the smallest entry is Pop. If every entry is below the threshold the
// largest, or the first of several such, gets 1: a histogram must put its mass somewhere, but that
// one says nothing.
//
// Uses nothing but the estimates, so privacy is untouched. Does not guarantee, unlike Pop, that the
// squared error never grows: values held by few are lost and their share goes to the others.
//
// InvalidArgument if the span is empty, an entry is not finite, or the threshold is not.
absl::StatusOr<std::vector<double>> NormSub(absl::Span<const double> raw, double threshold);

// Likelihood. The point f of the simplex that maximises sum over v of C_v log(background + signal
// f_v). The expected count of v is background + signal f_v: `background` for a value that nobody
// holds, and `signal` = submissions * separation for one that everybody holds.
//
// For randomised response over the domain (grr) that is the multinomial likelihood itself. For the
// other mechanisms it is a composite one: as if the counts were independent Poisson variables of
// those means.
//
// It is where the EM iteration f_v <- C_v signal f_v / (background + signal f_v), normalised, comes
// to rest, found without iterating: by the conditions of Karush, Kuhn and Tucker
// f_v = max(0, C_v / mu - background / signal), with mu such that the sum is one. Scaled,
// therefore, where Pop shifts: an error of the total that grows with the count is taken off in
// proportion.
//
// Uses nothing but the counts, so privacy is untouched. Not unbiased: rare values come out too
// high. O(d) expected, O(d log d) at worst.
//
// InvalidArgument if the span is empty, background is not finite and >= 0 or signal not finite, > 0
// and at least 1e-200 background, and where a count is negative: counts that are differences
// (correlated) have no such likelihood. FailedPrecondition if all counts are 0: every histogram is
// as likely.
absl::StatusOr<std::vector<double>> MostLikely(absl::Span<const int64_t> counts, double background,
                                               double signal);

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
  kPop,      // Pop: the nearest histogram
  kNormSub,  // NormSub: the nearest histogram on the values that stand out of the noise
  kBaseCut,  // BaseCut: the raw estimates of the values that stand out of the noise
  kEm,       // MostLikely: the most likely histogram
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
