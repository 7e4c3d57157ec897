// How far off sums over bins are that least squares finds from noisy counts of a tree's nodes.
#ifndef TOMBOLA_COMMON_RANGES_RANGE_VARIANCE_H_
#define TOMBOLA_COMMON_RANGES_RANGE_VARIANCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ranges/range_tree.h"

namespace tombola {

// What is known of the sum of all leaves.
enum class RangeTotal { kKnown, kUnknown };

// Of counts that are independent, each with the variance of its level, and a total that is known
// unless said otherwise.
// Least squares finds the sums with the least variance of all unbiased ones, and these are they.
//
// A node's count, told apart into its children's, leaves them correlated by nothing but their sum:
// so a sum of leaves is, given the node's count s, alpha + beta s, off by a variance that does not
// depend on s; that of the root is known. Immutable.
class RangeVariance {
 public:
  // variances: of each level, > 0 and finite. O(cells).
  RangeVariance(const RangeTree& tree, absl::Span<const double> variances);

  const RangeTree& tree() const { return tree_; }

  // Of a node's count from all that is known of what is below it, itself included.
  double Below(int64_t level, int64_t node) const {
    return Prefix(level)[static_cast<size_t>(node) + 1] - Prefix(level)[static_cast<size_t>(node)];
  }
  // The sum of Below over nodes [begin, end) of a level.
  double BelowAll(int64_t level, int64_t begin, int64_t end) const {
    return Prefix(level)[static_cast<size_t>(end)] - Prefix(level)[static_cast<size_t>(begin)];
  }
  double BelowApart() const { return apart_; }  // 0 where no leaf stands apart

  // Of the sum of weight times leaf over the runs, the last of which ends at leaves(), and of
  // `apart` times the leaf that stands apart. O(runs * levels * log).
  double Of(absl::Span<const WeightedRun> runs, double apart = 0,
            RangeTotal total = RangeTotal::kKnown) const;
  // The same of a weight for each leaf. O(cells).
  double OfEach(absl::Span<const double> weights, double apart = 0,
                RangeTotal total = RangeTotal::kKnown) const;
  // Of the number of devices in leaves [begin, end).
  double OfRange(int64_t begin, int64_t end) const;
  // The same averaged over all leaves() * (leaves() + 1) / 2 ranges that are not empty. O(cells).
  double OverAllRanges() const;

 private:
  // What is known of a sum given a node's count: how it follows the count, and its variance.
  struct Given {
    double slope = 0;
    double variance = 0;
  };
  class Joined;
  class Walk;

  const std::vector<double>& Prefix(int64_t level) const {
    return prefix_[static_cast<size_t>(level)];
  }
  double Total(Joined top, double apart, RangeTotal total) const;

  RangeTree tree_;
  std::vector<std::vector<double>> prefix_;  // for each level: sums of Below
  double apart_ = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANGES_RANGE_VARIANCE_H_
