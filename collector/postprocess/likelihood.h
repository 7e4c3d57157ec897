// Post-processing by likelihood: the histogram under which the counts are the most likely.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_LIKELIHOOD_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_LIKELIHOOD_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::collector {

// The point f of the simplex that maximises sum over v of C_v log(background + signal f_v). The
// expected count of v is background + signal f_v: `background` for a value that nobody holds, and
// `signal` = submissions * separation for one that everybody holds.
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

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_LIKELIHOOD_H_
