#include "collector/query/guarantee.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/composition.h"
#include "common/accounting/epsilon_search.h"
#include "common/base/status_macros.h"
#include "common/task/whole_life.h"

namespace tombola::collector {
namespace {

using accounting::EpsilonDelta;

// What one submission has when `share` of the batch is the observer's own, at the task's delta.
absl::StatusOr<EpsilonDelta> OneSubmission(const Task& task, int64_t batch, double share) {
  const Target& target = task.target();
  const int64_t honest = HonestOf(batch, share);
  if (honest < 1) return EpsilonDelta{task.scheme()->local_epsilon(), 0};
  const auto epsilon = task.scheme()->EpsilonAt(honest, target.delta);
  if (epsilon.ok() && *epsilon <= target.epsilon) return EpsilonDelta{*epsilon, target.delta};
  // A search may end a little above the target, or not at all, where the target itself holds.
  const auto delta = task.scheme()->Delta(honest, target.epsilon);
  if (delta.ok() && *delta <= target.delta) return EpsilonDelta{target.epsilon, target.delta};
  TOMBOLA_RETURN_IF_ERROR(epsilon.status());
  return EpsilonDelta{*epsilon, target.delta};
}

// The same for so many submissions in batches like that one. Where more is foreign than the task
// was made for, or a batch fell short, there need be no epsilon.
absl::StatusOr<BatchUses> UsesOf(const Task& task, int64_t submissions, int64_t batch,
                                 double share) {
  BatchUses uses{.submissions = submissions,
                 .honest = HonestOf(batch, share),
                 .one = {std::numeric_limits<double>::infinity(), 1}};
  const absl::StatusOr<EpsilonDelta> one = OneSubmission(task, batch, share);
  if (absl::IsFailedPrecondition(one.status())) return uses;
  TOMBOLA_RETURN_IF_ERROR(one.status());
  uses.one = *one;
  return uses;
}

absl::StatusOr<EpsilonDelta> WithForeign(const Task& task, const Answered& answered, double share) {
  const double foreign = std::max(share, task.batch_policy().dishonest_share);
  std::vector<BatchUses> uses(1);
  TOMBOLA_ASSIGN_OR_RETURN(uses[0], UsesOf(task, answered.submissions - answered.quarantined,
                                           answered.smallest_batch, foreign));
  if (answered.quarantined > 0) {
    TOMBOLA_ASSIGN_OR_RETURN(uses.emplace_back(), UsesOf(task, answered.quarantined,
                                                         answered.smallest_quarantined, foreign));
  }
  return OverSeveral(task, uses);
}

// One submission of a stream, of whose nodes each has this part of the honest submissions that its
// noise is sized for: these bring the noise that they bring.
EpsilonDelta WithFewer(const Task& task, double part) {
  constexpr EpsilonDelta kNothing = {.epsilon = std::numeric_limits<double>::infinity(),
                                     .delta = 1};
  constexpr size_t kMostDistinct = 128;  // of about a millisecond each, several times
  const mechanism::Nodes& sized = *task.nodes();
  if (sized.DistinctPeriods().size() > kMostDistinct) return kNothing;
  std::vector<mechanism::StreamNode> nodes;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(sized.count()); ++node) {
    nodes.push_back(sized[node]);
    const auto honest = static_cast<double>(nodes.back().honest);
    nodes.back().honest = static_cast<int64_t>(std::floor(part * honest));
    if (nodes.back().honest < 1) return kNothing;
  }
  const mechanism::Nodes fewer(sized.structure(), std::move(nodes));
  const auto epsilon = accounting::SmallestEpsilon(
      [&](double epsilon) { return fewer.WorstDelta(epsilon); }, task.target().delta);
  return epsilon.ok() ? EpsilonDelta{*epsilon, task.target().delta} : kNothing;
}

// Of the noise of a task that was made with its target: it is sized for a number of honest
// submissions, is the same for more, and all nodes that are counted have as many. To search for the
// epsilon of every period would take as long as to make the task, and find the target.
Guarantee OfStream(const Task& task, const Answered& answered) {
  constexpr EpsilonDelta kNothing = {.epsilon = std::numeric_limits<double>::infinity(),
                                     .delta = 1};
  Guarantee guarantee;
  guarantee.one = {.epsilon = task.target().epsilon, .delta = task.target().delta};
  const EpsilonDelta all = answered.submissions > 1 ? WholeLife(task) : guarantee.one;
  const double local = accounting::Times(answered.submissions, task.scheme()->local_epsilon());
  const EpsilonDelta least =
      std::isfinite(local) ? EpsilonDelta{.epsilon = local, .delta = 0} : kNothing;
  const auto foreign = [&](double part) {
    if (answered.quarantined > 0) return least;
    const EpsilonDelta left =
        part >= 1 ? all : accounting::GroupPrivacy(WithFewer(task, part), answered.submissions);
    return left.epsilon < local && left.delta < 1 ? left : least;
  };
  // One submission of such a period is in a node that fell short as well.
  if (answered.quarantined > 0) guarantee.one = least;
  guarantee.all = foreign(1);
  guarantee.foreign_10 = foreign(answered.part_10);
  guarantee.foreign_50 = foreign(answered.part_50);
  return guarantee;
}

std::string Reason(const Task& task, const Answered& answered) {
  std::string reason = WhyThatMuch(task, answered.submissions);
  if (answered.quarantined == 0) return reason;
  absl::StrAppend(&reason, "; ", answered.quarantined,
                  " of them may be in batches that fell short when the collector had opened them, "
                  "the smallest of ",
                  answered.smallest_quarantined, " users");
  return reason;
}

}  // namespace

absl::StatusOr<Guarantee> GuaranteeFor(const Task& task, const Answered& answered) {
  Guarantee guarantee;
  if (task.nodes() != nullptr) {
    guarantee = OfStream(task, answered);
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(guarantee.one, OneSubmission(task, answered.smallest_batch,
                                                          task.batch_policy().dishonest_share));
    TOMBOLA_ASSIGN_OR_RETURN(guarantee.all, WithForeign(task, answered, 0));
    TOMBOLA_ASSIGN_OR_RETURN(guarantee.foreign_10, WithForeign(task, answered, 0.1));
    TOMBOLA_ASSIGN_OR_RETURN(guarantee.foreign_50, WithForeign(task, answered, 0.5));
  }
  guarantee.submissions = answered.submissions;
  const int64_t made = task.scheme()->memoised() ? 1 : answered.made;
  guarantee.local_epsilon = accounting::Times(made, task.scheme()->local_epsilon());
  guarantee.users = answered.smallest_batch;
  guarantee.accounted_users = task.scheme()->parameters().honest.value_or(0);
  guarantee.method = "tight";
  guarantee.reason = Reason(task, answered);
  return guarantee;
}

absl::StatusOr<Guarantee> Guarantees::For(const Task& task, const Answered& answered) {
  {
    MutexLock lock(mutex_);
    const auto it = known_.find(task.id());
    if (it != known_.end() && it->second.first == answered) return it->second.second;
  }
  TOMBOLA_ASSIGN_OR_RETURN(Guarantee guarantee, GuaranteeFor(task, answered));
  MutexLock lock(mutex_);
  known_[task.id()] = {answered, guarantee};
  return guarantee;
}

}  // namespace tombola::collector
