// What the nodes of a stream add up to over ranges of its periods.
#ifndef TOMBOLA_COLLECTOR_ANSWER_STREAM_TOTALS_H_
#define TOMBOLA_COLLECTOR_ANSWER_STREAM_TOTALS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/answer/answerer.h"
#include "collector/estimate/batch_sum.h"
#include "common/stream/structure.h"
#include "common/task/task.h"

namespace tombola::collector {

// Nodes that were added and subtracted. A value.
struct NodeSum {
  std::vector<double> holders;  // of each value, unbiased; empty: no node yet
  // Of each value BatchSum::Variance's argument; empty where noise does not depend on the values.
  std::vector<double> sloped;
  int64_t submissions = 0;
  // Of the counts that the holders come from, for a value that nobody holds.
  double background = 0;
  BatchSum errors;

  double Variance(size_t value) const {
    return errors.Variance(sloped.empty() ? 0 : sloped[value]);
  }
};

// One range of periods, both ends included: its sum, which periods are missing in it, and which
// strange ones are in it (stream::RangeParts).
struct RangeSum {
  int64_t first = 0, last = 0;
  stream::RangeParts parts;
  NodeSum sum;
};

// Sums over ranges of a stream's periods from what was counted of its nodes. A node is read when it
// is needed, and not kept. Not thread-safe; all that it is made of outlives it.
class StreamTotals {
 public:
  StreamTotals(const Task& task, const NodeEvidence& nodes);

  // 1 <= first <= last <= the evidence's last. O(nodes of the range) nodes are read.
  absl::StatusOr<RangeSum> Range(int64_t first, int64_t last) const;

  using Visit = absl::FunctionRef<absl::Status(const RangeSum& range)>;
  // Visits [first, first], [first, first + 1], ... [first, last], in that order. Each node is read
  // once, but for those that reach back to before `first`: total(t) = node(t) + total(start(t)). At
  // most MostKept sums are kept at a time. A visit that fails ends it.
  absl::Status EachFrom(int64_t first, int64_t last, Visit visit) const;
  // Visits [first, first], [first + 1, first + 1], ... [last, last].
  absl::Status EachAlone(int64_t first, int64_t last, Visit visit) const;

  // How many sums EachFrom keeps at most, whatever is void.
  static int64_t MostKept(const stream::Structure& structure);

 private:
  absl::Status Add(const stream::SignedNode& node, NodeSum* sum) const;
  // The sum over [first, last] less that over [first, before], before < last: of a total that a
  // later one builds on. `before` may be below first - 1.
  absl::StatusOr<NodeSum> Base(int64_t first, int64_t before) const;
  bool Counted(int64_t node) const { return nodes_.counted(static_cast<uint64_t>(node)); }

  const Task& task_;
  const NodeEvidence& nodes_;
  const stream::Structure& structure_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_STREAM_TOTALS_H_
