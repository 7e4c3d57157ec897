// The nodes of a stream: batches over several periods, each with noise of its own.
#ifndef TOMBOLA_COMMON_SCHEME_NODES_H_
#define TOMBOLA_COMMON_SCHEME_NODES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "common/accounting/submission_loss.h"
#include "common/scheme/scheme.h"
#include "common/stream/structure.h"

namespace tombola::mechanism {

// One batch of a stream. Its noise is spread over all of its submissions.
struct StreamNode {
  std::shared_ptr<const Scheme> scheme;  // of what one submission says in this node
  int64_t honest = 0;                    // that its noise is sized for
  int64_t smallest_batch = 0;            // no batch of fewer submissions leaves
};

// Which nodes a submission of a period says something in, and what hides it there. Nodes and
// periods are both numbered from 1, and node t leaves when period t is over. Immutable and
// thread-safe.
class Nodes {
 public:
  // As many nodes as the structure has periods; all schemes have one report_bytes().
  Nodes(stream::Structure structure, std::vector<StreamNode> nodes);

  const stream::Structure& structure() const { return structure_; }
  int64_t count() const { return structure_.periods(); }
  // 1 <= node <= count().
  const StreamNode& operator[](uint64_t node) const { return nodes_[node - 1]; }

  // The nodes that cover a period, ascending; the first is the period's own.
  const std::vector<uint64_t>& Cover(uint64_t period) const { return covers_[period - 1]; }
  // The first period that a node covers; the last is its own.
  uint64_t FirstPeriod(uint64_t node) const {
    return static_cast<uint64_t>(structure_.start(static_cast<int64_t>(node))) + 1;
  }
  // The most nodes over a period.
  size_t Depth() const { return depth_; }
  // The most reports of a submission, in all of its nodes together.
  int64_t MostReports() const { return most_reports_; }

  // Periods of which every other one has a like: as many nodes of the same schemes, which are told
  // apart by their addresses, sized for as many. Ascending.
  const std::vector<uint64_t>& DistinctPeriods() const { return distinct_; }

  // What holds at `epsilon` for one submission of a period, whatever is seen of all of its nodes,
  // if each leaves with the honest submissions that it is sized for: the product of their losses.
  absl::StatusOr<double> PeriodDelta(uint64_t period, double epsilon) const;
  // The largest of PeriodDelta over all periods. For one of several nodes the coarse accountant
  // says what is surely not the largest: about a millisecond a distinct period, some of three
  // nodes.
  absl::StatusOr<double> WorstDelta(double epsilon) const;

 private:
  // Of a period of several nodes.
  absl::StatusOr<accounting::SubmissionLoss> LossOf(uint64_t period) const;
  void FindDistinct();

  stream::Structure structure_;
  std::vector<StreamNode> nodes_;
  std::vector<std::vector<uint64_t>> covers_;
  std::vector<uint64_t> distinct_;
  size_t depth_ = 0;
  int64_t most_reports_ = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_SCHEME_NODES_H_
