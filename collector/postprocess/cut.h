// Post-processing by a cut: what could be noise is dropped, by itself or with a projection after
// it.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_CUT_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_CUT_H_

#include <vector>

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

// Entries below the threshold become 0; the others are projected on the simplex among themselves
// (pop.h), so that the result has no negative entry and sums to one. A threshold at or below the
// smallest entry is Pop. If every entry is below the threshold the largest, or the first of several
// such, gets 1: a histogram must put its mass somewhere, but that one says nothing.
//
// Uses nothing but the estimates, so privacy is untouched. Does not guarantee, unlike Pop, that the
// squared error never grows: values held by few are lost and their share goes to the others.
//
// InvalidArgument if the span is empty, an entry is not finite, or the threshold is not.
absl::StatusOr<std::vector<double>> NormSub(absl::Span<const double> raw, double threshold);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_CUT_H_
