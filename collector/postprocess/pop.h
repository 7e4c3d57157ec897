// Post-processing by projection (POP): estimates become a histogram.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_POP_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_POP_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::collector {

// The point of the simplex (all entries >= 0, sum 1) that is nearest to the raw estimates in
// Euclidean distance: max(x - tau, 0), with tau such that the sum is one (Eq. (22) with the right
// set of positive entries; one pass over {x > 0} is not enough, see docs/errata.md).
//
// Guarantees: the squared error against any true histogram never grows. Uses nothing but the
// estimates, so privacy is untouched. Does not guarantee unbiasedness: rare values come out too
// high, so publish the raw estimates beside these.
//
// O(d) expected, O(d log d) at worst. InvalidArgument if the span is empty or an entry is not
// finite.
absl::StatusOr<std::vector<double>> Pop(absl::Span<const double> estimates);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_POP_H_
