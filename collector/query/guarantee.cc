#include "collector/query/guarantee.h"

#include <algorithm>

#include "common/accounting/composition.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// Epsilon at the task's delta when `share` of the batch is the observer's own.
absl::StatusOr<double> BatchEpsilon(const Task& task, int64_t batch, double share) {
  const int64_t honest = HonestOf(batch, share);
  if (honest < 1) return task.mechanism()->local_epsilon();
  const auto epsilon = task.mechanism()->EpsilonAt(honest, task.target().delta);
  if (epsilon.ok() && *epsilon <= task.target().epsilon) return epsilon;
  // A search may end a little above the target, or not at all, where the target itself holds.
  const auto delta = task.mechanism()->Delta(honest, task.target().epsilon);
  if (delta.ok() && *delta <= task.target().delta) return task.target().epsilon;
  return epsilon;
}

// The same where a larger share is foreign than the task was made for: there need not be one.
absl::StatusOr<double> ForeignEpsilon(const Task& task, int64_t batch, double share) {
  const double foreign = std::max(share, task.batch_policy().dishonest_share);
  const absl::StatusOr<double> epsilon = BatchEpsilon(task, batch, foreign);
  if (absl::IsFailedPrecondition(epsilon.status())) return task.mechanism()->local_epsilon();
  return epsilon;
}

}  // namespace

absl::StatusOr<Guarantee> GuaranteeFor(const Task& task, int64_t smallest_batch) {
  Guarantee guarantee;
  const double share = task.batch_policy().dishonest_share;
  const int64_t k = task.submissions_per_device();
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.batch_epsilon, BatchEpsilon(task, smallest_batch, share));
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.epsilon_foreign_10, ForeignEpsilon(task, smallest_batch, 0.1));
  TOMBOLA_ASSIGN_OR_RETURN(guarantee.epsilon_foreign_50, ForeignEpsilon(task, smallest_batch, 0.5));
  const accounting::EpsilonDelta group =
      accounting::GroupPrivacy({guarantee.batch_epsilon, task.target().delta}, k);
  guarantee.epsilon = group.epsilon;
  guarantee.delta = group.delta;
  guarantee.local_epsilon = static_cast<double>(k) * task.mechanism()->local_epsilon();
  guarantee.users = smallest_batch;
  guarantee.accounted_users = task.mechanism()->parameters().honest.value_or(0);
  guarantee.method = "tight";
  return guarantee;
}

absl::StatusOr<Guarantee> Guarantees::For(const Task& task, int64_t smallest_batch) {
  {
    MutexLock lock(mutex_);
    const auto it = known_.find(task.id());
    if (it != known_.end() && it->second.first == smallest_batch) return it->second.second;
  }
  TOMBOLA_ASSIGN_OR_RETURN(Guarantee guarantee, GuaranteeFor(task, smallest_batch));
  MutexLock lock(mutex_);
  known_[task.id()] = {smallest_batch, guarantee};
  return guarantee;
}

}  // namespace tombola::collector
