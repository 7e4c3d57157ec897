// The counted nodes of a stream, for an answer, and what the answer says about them.
#ifndef TOMBOLA_COLLECTOR_QUERY_STREAM_NODES_H_
#define TOMBOLA_COLLECTOR_QUERY_STREAM_NODES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/answer/answerer.h"
#include "collector/query/guarantee.h"
#include "collector/query/quality.h"
#include "collector/store/batch_ledger.h"
#include "collector/store/part_runs.h"
#include "common/task/task.h"

namespace tombola::collector {

// Reads the nodes of one answer, one at a time, from the ledger, and remembers of them what its
// envelope needs. A node is void when its batch was in vain (quarantined, or expired with its key),
// and when there is none though one of a later node has been counted or another interval has gone
// by: until then it may be on its way. Not thread-safe; outlived by all that it is made of.
class StreamNodes {
 public:
  struct Parts {
    const Task* task = nullptr;  // a stream
    const BatchLedger* ledger = nullptr;
    std::shared_ptr<const TaskTotals> totals;  // of all of its batches
    absl::Time now;
    // Asked before each node is read.
    std::function<bool()> left;
  };
  // The periods that a request asks about, as far as they are over.
  StreamNodes(Parts parts, const std::optional<PartRange>& asked);
  StreamNodes(const StreamNodes&) = delete;
  StreamNodes& operator=(const StreamNodes&) = delete;

  const PartRange& range() const { return range_; }
  // The periods of the range that its total has.
  const PartRuns& covered() const { return covered_; }
  // Reads come back to this object, which must stay where it is.
  NodeEvidence Evidence();

  // After the answer was made. Of the batches of all nodes that were read, whose tally is that of
  // the whole range instead.
  TaskTotals Totals() const;
  Answered AnsweredOf() const;
  Quality QualityOf() const;

 private:
  bool Counted(uint64_t node) const { return counted_[node]; }
  bool Void(uint64_t node) const;
  absl::StatusOr<NodeCounts> Read(uint64_t node);
  // What is kept of a node that is read for the first time.
  void Note(uint64_t node, const TaskTotals& batches);

  const Parts parts_;
  PartRange range_;
  PartRuns covered_;
  std::vector<stream::SignedNode> of_range_;  // the nodes of its total
  std::vector<bool> counted_, seen_;          // by node
  TaskTotals read_;                           // without counts
  int64_t submissions_ = 0;                   // of the whole range
  std::vector<Warning> warnings_;
  double part_10_ = 1, part_50_ = 1;  // as of Answered, not rounded
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_STREAM_NODES_H_
