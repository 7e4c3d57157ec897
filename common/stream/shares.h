// How the nodes of a structure share the budget of a stream, and how noisy its totals then are.
// Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_STREAM_SHARES_H_
#define TOMBOLA_COMMON_STREAM_SHARES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/stream/structure.h"

namespace tombola::stream {

// shares[t - 1] is node t's share of the budget, in (0, 1], or 0 where there is no node. Over every
// period they sum to at most 1, but for rounding (1e-12).
struct Shares {
  Norm norm = Norm::kL1;
  std::vector<double> of_node;
};

// Those with the least sum of the totals' variances, each total weighted by weights[t - 1] >= 0 if
// there are any (as many as periods), if nodes are nested: node P of a block's beginning, the last
// such, serves the totals behind it, the structure within it those before, and the budget is split
// by the cube roots (kL1) or square roots (kL2) of what they cost. A node whose totals all weigh
// nothing has a share of 0: it is not to be released. Not nested: each node has 1 / (the most nodes
// over a period of it), which is feasible but not the best. O(N log N).
Shares SharesOf(const Structure& structure, Norm norm, absl::Span<const double> weights = {});

// The same for the nodes of a Fenwick tree, all totals but the last one unweighted, in O(log N)
// time and memory.
class FenwickShares {
 public:
  // periods in [1, kMostPeriods], last_weight at least 1.
  FenwickShares(int64_t periods, Norm norm, double last_weight = 1);

  // 1 <= node <= periods.
  double Of(int64_t node) const;

 private:
  // What the structure before a block's first node gets of the budget: of blocks of 2^i - 1
  // periods, and of those of the lowest i + 1 bits of the number of periods.
  std::vector<double> inner_of_full_, inner_of_rest_;
  int64_t periods_;
};

// The variance of total(t), and its mean and maximum over the totals there are, in units of that of
// noise with the whole budget. `missing` totals, which an unreleased node stands in the way of, are
// infinite.
double NodeVariance(Norm norm, double share);
struct TotalVariances {
  std::vector<double> of_total;  // [t - 1]; 0 before first_total
  double mean = 0;
  double max = 0;
  double last = 0;
};
TotalVariances VariancesOf(const Structure& structure, const Shares& shares);

// The largest sum of shares over a period.
double LargestColumn(const Structure& structure, const Shares& shares);

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_SHARES_H_
