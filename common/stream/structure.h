// Which periods of a stream are counted together, so that running totals take few noises.
//
// A stream has N periods. Node t, for t = 1..N, covers the periods (start(t), t] and is released at
// the end of t; then total(t) = node(t) + total(start(t)), with total(0) = 0. The periods' own
// counts are `Plain`; a Fenwick tree and the best structure have fewer noises in a total, for more
// nodes over each period. Of what a node is the noisy count does not matter here.
//
// Immutable, thread-safe. Pure: no noise, no counts.
#ifndef TOMBOLA_COMMON_STREAM_STRUCTURE_H_
#define TOMBOLA_COMMON_STREAM_STRUCTURE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tombola::stream {

// The most periods of a stream; of a structure that is searched for.
inline constexpr int64_t kMostPeriods = int64_t{1} << 20;
inline constexpr int64_t kMostSearchedPeriods = 4096;

// How nodes share a budget, and what noise costs: with a share s of it a node's noise has the
// variance 1/s^2 (kL1: epsilon is shared, as by Laplace noise) or 1/s (kL2: the square of the
// Gaussian parameter is shared, as by Gaussian and by Poisson noise), in units of the variance of
// noise that has the whole budget.
enum class Norm { kL1, kL2 };

// A node that is added (+1) or subtracted (-1).
struct SignedNode {
  int64_t node = 0;
  int sign = 1;

  bool operator==(const SignedNode&) const = default;
};

// A total of what has been released, when nodes may be void.
struct TotalParts {
  std::vector<int64_t> nodes;    // the last one first
  std::vector<int64_t> missing;  // periods that no released node brings in, the last one first
};

// A range of periods likewise. What its nodes add up to is the sum over the periods asked for, less
// those that are missing, plus `sign` times each of the `strange` ones: earlier periods that one of
// the two totals has and the other lacks. Nodes of both totals are cancelled. Later nodes first.
struct RangeParts {
  std::vector<SignedNode> nodes;
  std::vector<int64_t> missing;
  std::vector<SignedNode> strange;  // periods
};

class Structure {
 public:
  // InvalidArgument, naming the field and its bound, for numbers of periods that are out of range.
  static absl::StatusOr<Structure> Plain(int64_t periods);
  // start(t) = t less its lowest bit.
  static absl::StatusOr<Structure> Fenwick(int64_t periods);
  // The one with the least mean variance of total(first_total), ..., total(periods), with the
  // shares that SharesOf says: among all structures as far as they have been enumerated (N <= 7).
  // periods - first_total + 1 is at most kMostSearchedPeriods. O(its square), milliseconds. Totals
  // before first_total cannot be had; with first_total = periods there is one node only.
  static absl::StatusOr<Structure> Best(int64_t periods, Norm norm, int64_t first_total = 1);
  // start[i] is start(i + 1). InvalidArgument unless 0 <= start(t) < t for all t, of which there
  // are 1 to kMostPeriods, and 1 <= first_total <= their number. Nodes need not be nested. Nodes
  // before first_total do not exist, and no start(t) may lie in [1, first_total).
  static absl::StatusOr<Structure> FromStart(absl::Span<const int64_t> start,
                                             int64_t first_total = 1);

  int64_t periods() const { return periods_; }
  // The first period that ends with a node, and so with a total: 1 unless asked otherwise.
  int64_t first_total() const { return first_total_; }
  // For t in [1, periods]; t - 1 where there is no node. O(1), and only structures that are neither
  // Plain nor Fenwick take memory.
  int64_t start(int64_t t) const;

  // The nodes that cover period t in [1, periods], ascending: those which a record of that period
  // goes to. O(log N) if Plain or Fenwick, else O(N).
  std::vector<int64_t> Cover(int64_t t) const;
  // The nodes of total(t), for t in [first_total, periods]: t, start(t), ...
  std::vector<int64_t> Chain(int64_t t) const;
  // The nodes of total(last) - total(first - 1), common ones cancelled, later ones first; the sum
  // over the periods first..last. 1 <= first <= last <= periods, both totals in reach.
  std::vector<SignedNode> Range(int64_t first, int64_t last) const;

  // Whether a node was released rather than void, for nodes in [first_total, periods].
  using Released = absl::FunctionRef<bool(int64_t node)>;
  // From t backwards: a released node that ends there is taken and skipped over; where there is
  // none the period is missing. t in [0, periods].
  TotalParts Total(int64_t t, Released released) const;
  RangeParts Range(int64_t first, int64_t last, Released released) const;

  // Whether any two nodes are disjoint or one within the other.
  bool IsNested() const;
  // The largest number of nodes over a period.
  int64_t Depth() const;

 private:
  enum class Shape { kPlain, kFenwick, kListed };
  Structure(Shape shape, int64_t periods) : shape_(shape), periods_(periods) {}

  Shape shape_;
  int64_t periods_;
  int64_t first_total_ = 1;
  std::vector<int32_t> start_;  // of node i + 1, if listed
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_STRUCTURE_H_
