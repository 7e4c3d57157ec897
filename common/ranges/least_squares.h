// Counts of a tree's nodes, made to agree with each other.
#ifndef TOMBOLA_COMMON_RANGES_LEAST_SQUARES_H_
#define TOMBOLA_COMMON_RANGES_LEAST_SQUARES_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "common/ranges/range_tree.h"

namespace tombola {

// The leaves, the one apart last if there is one, that weighted least squares finds from estimates
// of every cell, in the cells' order, each with the variance of its level, where the sum of all
// leaves is `total`, or not known. Linear in the estimates, so unbiased if they are. O(cells).
std::vector<double> LeastSquares(const RangeTree& tree, absl::Span<const double> estimates,
                                 absl::Span<const double> variances, std::optional<double> total);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANGES_LEAST_SQUARES_H_
