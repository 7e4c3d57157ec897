// How far off sums over bins are that least squares finds where counts of a level's nodes vary
// differently: those of mechanisms whose noise grows with what a cell holds.
#ifndef TOMBOLA_COMMON_RANGES_SUM_VARIANCE_H_
#define TOMBOLA_COMMON_RANGES_SUM_VARIANCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ranges/range_tree.h"
#include "common/ranges/range_variance.h"

namespace tombola {

// LeastSquares (least_squares.h) weighs counts by the variance of their level. Every sum that it
// finds is linear in the counts; where these are independent and vary as they do, its variance is
// the sum of their variances times their squared weights in it, and that is what this finds. With
// the variances of the levels it is RangeVariance.
//
// Below a node on which a sum depends by its count alone, the weights are in fixed proportions: so
// one number a node says it all, and a sum of few runs looks at few nodes. Immutable.
class SumVariance {
 public:
  // `levels`: what least squares was given, > 0 and finite. `cells`: of every cell, >= 0 and
  // finite. O(cells).
  SumVariance(const RangeTree& tree, absl::Span<const double> levels,
              absl::Span<const double> cells);

  // Of the sum of weight times leaf over the runs, the last of which ends at leaves(), and of
  // `apart` times the leaf that stands apart. O(runs * levels * log).
  double Of(absl::Span<const WeightedRun> runs, double apart = 0) const;
  // The same of a weight for each leaf. O(cells).
  double OfEach(absl::Span<const double> weights, double apart = 0) const;

 private:
  // Of x, the weight that the nodes above give to a node beside its own slope.
  struct Quadratic {
    double constant = 0, linear = 0, square = 0;
  };
  // A sum within a node: how it follows the node's count, and what it is off by.
  struct Within {
    double slope = 0;
    Quadratic variance;
  };
  class Siblings;
  class Walk;

  Within Whole(double weight, double varies) const;
  Within Node(int64_t level, int64_t node, const Siblings& children) const;
  double Total(Siblings top, double apart) const;

  RangeVariance known_;
  std::vector<double> levels_;
  std::vector<double> cells_;
  std::vector<std::vector<double>> prefix_;  // for each level: sums over nodes
  double apart_ = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANGES_SUM_VARIANCE_H_
