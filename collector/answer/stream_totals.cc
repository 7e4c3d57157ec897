#include "collector/answer/stream_totals.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"
#include "common/table/count_model.h"

namespace tombola::collector {
namespace {

// From when to when a total is built on, by the last period that does.
using LastUses = absl::flat_hash_map<int64_t, int64_t>;

}  // namespace

StreamTotals::StreamTotals(const Task& task, const NodeEvidence& nodes)
    : task_(task), nodes_(nodes), structure_(task.nodes()->structure()) {}

absl::Status StreamTotals::Add(const stream::SignedNode& node, NodeSum* sum) const {
  const auto number = static_cast<uint64_t>(node.node);
  TOMBOLA_ASSIGN_OR_RETURN(const NodeCounts found, nodes_.read(number));
  const mechanism::Table& table = *task_.kind().TablesOf(number)[0];
  const auto cells = static_cast<size_t>(table.domain_size());
  if (found.counts.tables.size() != 1 || found.counts.tables[0].counts.size() != cells) {
    return absl::DataLossError(absl::StrCat("node ", number, " has not the task's counts"));
  }
  if (found.tally.submissions < 1) {
    return absl::FailedPreconditionError(absl::StrCat("node ", number, " has no submission"));
  }
  const mechanism::CountModel model = table.count_model();
  const double slope = VariancePerHolder(model, found.tally);
  sum->holders.resize(cells);
  if (slope != 0) sum->sloped.resize(cells);
  for (size_t cell = 0; cell < cells; ++cell) {
    const double holders = EstimatedHolders(
        model, found.tally, static_cast<double>(found.counts.tables[0].counts[cell]));
    sum->holders[cell] += node.sign * holders;
    // Errors add up whether estimates do or not.
    if (slope != 0) sum->sloped[cell] += slope * holders;
  }
  sum->submissions += node.sign * found.tally.submissions;
  sum->background += node.sign * Background(model, found.tally);
  sum->errors.Add(model, found.tally);
  return absl::OkStatus();
}

absl::StatusOr<RangeSum> StreamTotals::Range(int64_t first, int64_t last) const {
  RangeSum range{.first = first, .last = last};
  range.parts = structure_.Range(first, last, [this](int64_t node) { return Counted(node); });
  for (const stream::SignedNode& node : range.parts.nodes) {
    TOMBOLA_RETURN_IF_ERROR(Add(node, &range.sum));
  }
  return range;
}

absl::StatusOr<NodeSum> StreamTotals::Base(int64_t first, int64_t before) const {
  const auto counted = [this](int64_t node) { return Counted(node); };
  // total(before) - total(first - 1), the latter being the longer one.
  NodeSum sum;
  if (before >= first - 1) return sum;
  for (stream::SignedNode node : structure_.Range(before + 1, first - 1, counted).nodes) {
    node.sign = -node.sign;
    TOMBOLA_RETURN_IF_ERROR(Add(node, &sum));
  }
  return sum;
}

absl::Status StreamTotals::EachFrom(int64_t first, int64_t last, Visit visit) const {
  const auto counted = [this](int64_t node) { return Counted(node); };
  // A void node adds nothing to the total before it.
  const auto built_on = [&](int64_t t) { return counted(t) ? structure_.start(t) : t - 1; };
  LastUses last_uses;
  for (int64_t t = first; t <= last; ++t) last_uses[built_on(t)] = t;
  absl::flat_hash_map<int64_t, NodeSum> kept;
  for (int64_t t = first; t <= last; ++t) {
    const int64_t before = built_on(t);
    if (before < first && !kept.contains(before)) {
      TOMBOLA_ASSIGN_OR_RETURN(kept[before], Base(first, before));
    }
    RangeSum range{.first = first, .last = t};
    const auto base = kept.find(before);
    if (last_uses[before] == t) {
      range.sum = std::move(base->second);
      kept.erase(base);
    } else {
      range.sum = base->second;
    }
    if (counted(t)) TOMBOLA_RETURN_IF_ERROR(Add({.node = t, .sign = 1}, &range.sum));
    range.parts = structure_.Range(first, t, counted);
    TOMBOLA_RETURN_IF_ERROR(visit(range));
    if (last_uses.contains(t)) kept.emplace(t, std::move(range.sum));
  }
  return absl::OkStatus();
}

absl::Status StreamTotals::EachAlone(int64_t first, int64_t last, Visit visit) const {
  for (int64_t t = first; t <= last; ++t) {
    TOMBOLA_ASSIGN_OR_RETURN(const RangeSum range, Range(t, t));
    TOMBOLA_RETURN_IF_ERROR(visit(range));
  }
  return absl::OkStatus();
}

int64_t StreamTotals::MostKept(const stream::Structure& structure) {
  // +1 where a total is first built on, -1 after the last. Where a node is void, the total before
  // it is kept for one more period, and the one that it would be built on for no longer than else.
  const int64_t periods = structure.periods();
  std::vector<int64_t> ends(static_cast<size_t>(periods) + 1, -1);  // by total: its last use
  for (int64_t t = 1; t <= periods; ++t) ends[static_cast<size_t>(structure.start(t))] = t;
  std::vector<int64_t> change(static_cast<size_t>(periods) + 2);
  for (int64_t total = 0; total <= periods; ++total) {
    const int64_t end = ends[static_cast<size_t>(total)];
    if (end < 0) continue;
    ++change[static_cast<size_t>(total)];
    --change[static_cast<size_t>(end) + 1];
  }
  int64_t kept = 0, most = 0;
  for (const int64_t step : change) most = std::max(most, kept += step);
  return most + 2;
}

}  // namespace tombola::collector
