// How counts of bits become estimates of how many devices hold each value.
#ifndef TOMBOLA_COMMON_TABLE_BLOOM_WEIGHTS_H_
#define TOMBOLA_COMMON_TABLE_BLOOM_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/table/bloom.h"
#include "common/table/support.h"

namespace tombola::mechanism {

// Whether the design, a column for each value with ones at the bits that it sets, has full rank.
// Where a value sets one bit it always has. Some milliseconds for 256 values.
bool TellsValuesApart(const Bloom& bloom);

// Least squares on that design X, which is unbiased because nothing is selected:
// (X^T X)^-1 X^T y, y being a bit's estimated share of devices that set it. Immutable and
// thread-safe.
class BloomWeights {
 public:
  // Some tens of milliseconds for 256 values of several bits each.
  explicit BloomWeights(const Bloom& bloom);

  // The counts of the bits in terms of what is counted (the ones on each value's bits together):
  // counts as a lone bit of each value would have, less what `background`, the expected count of a
  // bit that nobody sets, is off by. What is estimated from a lone bit is then the least squares
  // estimate.
  std::vector<double> LoneCounts(absl::Span<const int64_t> counts, double background) const;

  // n times the variance of a value's estimated share from n reports, where frequencies[w] of the
  // devices hold w: given the data exact, because a report's bits are independent of each other.
  double Variance(size_t value, const Support& bit, absl::Span<const double> frequencies) const;
  // No frequencies give any value more.
  double MostVariance(const Support& bit) const;
  // Of the values' rows of weights: the largest weight, and the largest sum of a row's weights
  // without their signs.
  double MostWeight() const;
  double MostReach() const;

 private:
  double Row(size_t value, size_t bit) const { return weights_[value * bits_ + bit]; }

  size_t values_, bits_;
  std::vector<double> inverse_;  // of X^T X, row by row; empty where a value sets one bit
  std::vector<double> weights_;  // row by row
  std::vector<std::vector<uint8_t>> set_;
};

// The variance of an estimated share from so many reports, averaged over values that are equally
// frequent.
double AverageSquaredError(const Bloom& bloom, const Support& bit, int64_t reports);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_BLOOM_WEIGHTS_H_
