// Whether two attributes of records are independent of each other, told from noisy counts.
#ifndef TOMBOLA_COLLECTOR_ANSWER_INDEPENDENCE_H_
#define TOMBOLA_COLLECTOR_ANSWER_INDEPENDENCE_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"

namespace tombola::collector {

struct IndependenceTest {
  double statistic = 0;
  int64_t degrees_of_freedom = 0;
  double p_value = 1;
};

// Of a table of `rows` times `columns` counts, a row after the other, each of them off by noise
// with this variance, the noise of any two uncorrelated. Both at least 2.
//
// What is left of the counts when the product of their margins is taken away has, if the attributes
// are independent and records are drawn one by one, a covariance that is a sum of two Kronecker
// products, noise and sampling; both are made diagonal together, and the sum of squares over their
// variances is chi-square with (rows - 1)(columns - 1) degrees of freedom but for how normal the
// counts are. So it does not take noise for dependence, as the usual test would. Records that one
// device holds are taken to be as independent as those of several.
//
// Absent where the counts do not stand out from their noise: no three standard errors of the total.
// O(rows^3 + columns^3 + rows columns (rows + columns)).
std::optional<IndependenceTest> TestIndependence(absl::Span<const double> counts, int64_t rows,
                                                 int64_t columns, double variance);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_INDEPENDENCE_H_
