#include "collector/totals/known_totals.h"

#include <algorithm>

namespace tombola::collector {
namespace {

// Those that the manifest says: where each is one report, a report that did not open is one too.
int64_t SubmissionsOf(const BatchRecord& batch, int64_t most_reports) {
  if (most_reports > 1 || batch.state == BatchState::kExpired) return batch.tally.submissions;
  return std::max<int64_t>(0, batch.good + batch.rejected.total() - batch.tally.fakes);
}

}  // namespace

absl::string_view NameOf(Quantity quantity) {
  return quantity == Quantity::kParticipants ? "participants" : "rejected";
}

std::vector<int64_t> TotalsOf(const Task& task, int64_t needed,
                              absl::Span<const BatchRecord> batches, Quantity quantity) {
  const mechanism::Nodes* const nodes = task.nodes();
  const bool participants = quantity == Quantity::kParticipants;
  const auto never_seen = [&](uint64_t part) {
    return (nodes == nullptr ? needed : task.SmallestBatchOf(part)) - 1;
  };
  std::vector<int64_t> totals(task.periods()->count());  // at first of the parts alone
  if (participants) {
    for (uint64_t part = 1; part <= totals.size(); ++part) totals[part - 1] = never_seen(part);
  }
  for (const BatchRecord& batch : batches) {
    const uint64_t part = batch.of.part;
    if (!task.HasPart(part)) continue;
    const int64_t most = task.SchemeOf(part).max_reports_per_submission();
    const int64_t beyond = std::max<int64_t>(0, SubmissionsOf(batch, most) - never_seen(part));
    totals[part - 1] += participants ? beyond : std::min(batch.rejected.total(), most * beyond);
  }
  for (uint64_t t = 2; t <= totals.size(); ++t) {
    const uint64_t before = nodes == nullptr ? t - 1 : nodes->FirstPeriod(t) - 1;
    if (before > 0) totals[t - 1] += totals[before - 1];
  }
  return totals;
}

int64_t MostChange(const Task& task, Quantity quantity) {
  if (quantity == Quantity::kParticipants) return 1;
  const mechanism::Nodes* const nodes = task.nodes();
  if (nodes == nullptr) return task.scheme()->max_reports_per_submission();
  int64_t most = 1;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(nodes->count()); ++node) {
    most = std::max(most, (*nodes)[node].scheme->max_reports_per_submission());
  }
  return most;
}

// Within one of its nodes the change begins with nothing, until the batch comes; from one node to
// the next it may go back to nothing.
int64_t MostSteps(const Task& task) {
  const mechanism::Nodes* const nodes = task.nodes();
  return nodes == nullptr ? 1 : 2 * static_cast<int64_t>(nodes->Depth()) - 1;
}

}  // namespace tombola::collector
