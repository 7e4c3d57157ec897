#include "collector/query/stream_nodes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/query/asked_periods.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

bool Has(const PartRuns& runs, uint64_t part) { return runs.MissingFrom({part, part}).empty(); }

// Of the honest submissions that the node's noise is sized for, if `foreign` of the batch is not.
double HonestPart(const mechanism::StreamNode& node, int64_t users, double foreign) {
  return static_cast<double>(HonestOf(users, foreign)) / static_cast<double>(node.honest);
}

constexpr double kPartSteps = 32;

int64_t AtMost(int64_t submissions, uint64_t periods) {
  return static_cast<int64_t>(std::min(static_cast<uint64_t>(submissions), periods));
}

}  // namespace

StreamNodes::StreamNodes(Parts parts, const std::optional<PartRange>& asked)
    : parts_(std::move(parts)),
      range_(OverPeriods(*parts_.task->periods(), asked, parts_.totals->parts, parts_.now)),
      counted_(static_cast<size_t>(parts_.task->nodes()->count()) + 1),
      seen_(counted_.size()) {
  for (uint64_t node = 1; node < counted_.size(); ++node) {
    counted_[node] = Has(parts_.totals->parts, node);
  }
  const stream::RangeParts sum = parts_.task->nodes()->structure().Range(
      static_cast<int64_t>(range_.first), static_cast<int64_t>(range_.last),
      [this](int64_t node) { return Counted(static_cast<uint64_t>(node)); });
  of_range_ = sum.nodes;
  auto missing = sum.missing.rbegin();
  for (uint64_t period = range_.first; period <= range_.last; ++period) {
    if (missing != sum.missing.rend() && static_cast<uint64_t>(*missing) == period) {
      ++missing;
    } else {
      covered_.Add(period);
    }
  }
}

bool StreamNodes::Void(uint64_t node) const {
  if (Counted(node)) return false;
  const TaskTotals& totals = *parts_.totals;
  if (Has(totals.quarantined_parts, node)) return true;
  const Periods& periods = *parts_.task->periods();
  const bool later = !totals.parts.empty() && totals.parts.last() > node;
  return later || parts_.now >= periods.Closes(node) + parts_.task->batch_policy().interval;
}

NodeEvidence StreamNodes::Evidence() {
  NodeEvidence evidence{.first = range_.first, .last = range_.last};
  evidence.counted = [this](uint64_t node) { return Counted(node); };
  evidence.read = [this](uint64_t node) { return Read(node); };
  for (uint64_t node = range_.first; node <= range_.last; ++node) {
    if (Void(node)) evidence.void_nodes.push_back(node);
  }
  return evidence;
}

absl::StatusOr<NodeCounts> StreamNodes::Read(uint64_t node) {
  if (parts_.left && parts_.left()) {
    return absl::CancelledError("nobody waits for the answer any more");
  }
  TOMBOLA_ASSIGN_OR_RETURN(TaskTotals batches,
                           parts_.ledger->Sum(parts_.task->id(), {node, node}, parts_.left));
  if (batches.counted_batches == 0) {
    return absl::DataLossError(absl::StrCat("the batch of node ", node, " is not there any more"));
  }
  if (!seen_[node]) Note(node, batches);
  return NodeCounts{.counts = std::move(batches.counts), .tally = batches.tally};
}

void StreamNodes::Note(uint64_t node, const TaskTotals& batches) {
  seen_[node] = true;
  const mechanism::StreamNode& planned = (*parts_.task->nodes())[node];
  // Each batch of a node has as many as the node needs; its noise adds up.
  part_10_ = std::min(part_10_, HonestPart(planned, batches.smallest_batch, 0.1));
  part_50_ = std::min(part_50_, HonestPart(planned, batches.smallest_batch, 0.5));
  read_.smallest_batch = read_.counted_batches == 0
                             ? batches.smallest_batch
                             : std::min(read_.smallest_batch, batches.smallest_batch);
  read_.counted_batches += batches.counted_batches;
  read_.good += batches.good;
  read_.rejected += batches.rejected;
  read_.duplicates += batches.duplicates;
  read_.tally.fakes += batches.tally.fakes;
  read_.parts.Add(node);
  for (const stream::SignedNode& of_range : of_range_) {
    if (static_cast<uint64_t>(of_range.node) != node) continue;
    submissions_ += of_range.sign * batches.tally.submissions;
  }
  const mechanism::Table& table = *parts_.task->kind().TablesOf(node)[0];
  const TableCounts& counts = batches.counts.tables[0];
  Observed observed{.tally = batches.tally,
                    .messages = batches.good + batches.rejected.total() - batches.tally.fakes,
                    .tables = {{.table = table,
                                .tally = batches.tally,
                                .counts = counts.counts,
                                .hashes = counts.hashes}}};
  const double share = kFalseAlarm / static_cast<double>(parts_.task->nodes()->count());
  for (Warning& warning : Warnings(*planned.scheme, observed, share)) {
    const auto same = [&](const Warning& other) { return other.kind == warning.kind; };
    if (std::any_of(warnings_.begin(), warnings_.end(), same)) continue;
    warning.text = absl::StrCat("Node ", node, ": ", warning.text);
    warnings_.push_back(std::move(warning));
  }
}

TaskTotals StreamNodes::Totals() const {
  TaskTotals totals = read_;
  totals.tally.submissions = std::max<int64_t>(0, submissions_);
  return totals;
}

// A device's submissions are in the nodes over their periods, those that a sum takes off again
// included.
Answered StreamNodes::AnsweredOf() const {
  const Task& task = *parts_.task;
  const mechanism::Nodes& nodes = *task.nodes();
  PartRuns periods;
  PartRange touched = range_;
  for (uint64_t node = 1; node < seen_.size(); ++node) {
    if (!seen_[node]) continue;
    for (uint64_t period = nodes.FirstPeriod(node); period <= node; ++period) periods.Add(period);
    touched.first = std::min(touched.first, nodes.FirstPeriod(node));
  }
  uint64_t in_vain = 0;  // periods of nodes that were opened and fell short
  for (uint64_t node = touched.first; node < seen_.size(); ++node) {
    if (!Has(parts_.totals->quarantined_parts, node)) continue;
    const uint64_t first = std::max(nodes.FirstPeriod(node), touched.first);
    if (first <= touched.last) in_vain += std::min(node, touched.last) - first + 1;
  }
  const int64_t submissions = AtMost(task.submissions_per_device(), periods.Count());
  // What everybody may read of these periods is not this answer alone: the other nodes over them
  // have at least as many as a node needs, and as the smallest batch of all.
  double part_10 = part_10_, part_50 = part_50_;
  for (uint64_t node = touched.first; node < seen_.size(); ++node) {
    if (!counted_[node] || seen_[node] || nodes.FirstPeriod(node) > touched.last) continue;
    const int64_t users = std::max(task.SmallestBatchOf(node), parts_.totals->smallest_batch);
    part_10 = std::min(part_10, HonestPart(nodes[node], users, 0.1));
    part_50 = std::min(part_50, HonestPart(nodes[node], users, 0.5));
  }
  return {.smallest_batch = read_.smallest_batch,
          .submissions = submissions,
          .made = AtMost(task.submissions_per_device(),
                         BegunPeriods(*task.periods(), touched, parts_.totals->parts, parts_.now)),
          .quarantined = AtMost(submissions, in_vain),
          .smallest_quarantined = parts_.totals->smallest_quarantined,
          .part_10 = std::floor(part_10 * kPartSteps) / kPartSteps,
          .part_50 = std::floor(part_50 * kPartSteps) / kPartSteps};
}

// A device that lies may say in every node over its period what it likes.
Quality StreamNodes::QualityOf() const {
  const Task& task = *parts_.task;
  const mechanism::Nodes& nodes = *task.nodes();
  std::vector<double> change(static_cast<size_t>(nodes.count()) + 2);
  for (const stream::SignedNode& of_range : of_range_) {
    const auto node = static_cast<uint64_t>(of_range.node);
    const double moved =
        ShiftPerDishonest(*nodes[node].scheme, *task.kind().TablesOf(node)[0], {.submissions = 1});
    change[nodes.FirstPeriod(node)] += moved;
    change[node + 1] -= moved;
  }
  double moved = 0, most = 0;
  for (const double step : change) most = std::max(most, moved += step);
  Quality quality{.duplicates = read_.duplicates};
  quality.warnings = warnings_;
  if (submissions_ < 1) return quality;
  quality.shift_per_dishonest = most / static_cast<double>(submissions_);
  quality.dishonest = submissions_ - task.Honest(submissions_);
  quality.shift_at_dishonest_share =
      static_cast<double>(quality.dishonest) * quality.shift_per_dishonest;
  return quality;
}

}  // namespace tombola::collector
