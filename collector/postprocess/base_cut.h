// Post-processing by a cut alone.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_BASE_CUT_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_BASE_CUT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::collector {

// Entries below the threshold become 0, the others stay what they were: neither lifted nor lowered
// to make up for the rest, so that a frequent value's estimate is the unbiased one. Does not
// guarantee that the result sums to one, or lies in [0, 1] where the threshold is negative.
//
// Uses nothing but the estimates, so privacy is untouched. InvalidArgument if the span is empty, an
// entry is not finite, or the threshold is not.
absl::StatusOr<std::vector<double>> BaseCut(absl::Span<const double> raw, double threshold);

// What a cut asks of its arguments.
absl::Status ValidateCut(absl::Span<const double> raw, double threshold);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_BASE_CUT_H_
