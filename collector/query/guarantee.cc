#include "collector/query/guarantee.h"

#include <algorithm>
#include <limits>

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

// All submissions of a device, where perhaps more is foreign than the task was made for: then there
// need be no epsilon.
absl::StatusOr<EpsilonDelta> WithForeign(const Task& task, const Answered& answered, double share) {
  const double foreign = std::max(share, task.batch_policy().dishonest_share);
  const absl::StatusOr<EpsilonDelta> one = OneSubmission(task, answered.smallest_batch, foreign);
  if (absl::IsFailedPrecondition(one.status())) {
    return OverSeveral(task, answered.submissions, {std::numeric_limits<double>::infinity(), 1});
  }
  TOMBOLA_RETURN_IF_ERROR(one.status());
  return OverSeveral(task, answered.submissions, *one);
}

}  // namespace

absl::StatusOr<Guarantee> GuaranteeFor(const Task& task, const Answered& answered) {
  Guarantee guarantee;
  guarantee.submissions = answered.submissions;
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.one, OneSubmission(task, answered.smallest_batch,
                                                        task.batch_policy().dishonest_share));
  guarantee.all = OverSeveral(task, answered.submissions, guarantee.one);
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.foreign_10, WithForeign(task, answered, 0.1));
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.foreign_50, WithForeign(task, answered, 0.5));
  guarantee.local_epsilon = accounting::Times(answered.made, task.scheme()->local_epsilon());
  guarantee.users = answered.smallest_batch;
  guarantee.accounted_users = task.scheme()->parameters().honest.value_or(0);
  guarantee.method = "tight";
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
