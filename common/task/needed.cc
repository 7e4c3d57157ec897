#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/task/task.h"

namespace tombola {

namespace {

absl::Status NeverMet(absl::string_view needed, const BatchPolicy& policy) {
  return absl::FailedPreconditionError(
      absl::StrCat("the target needs ", needed, " submissions in a batch, more than the planned ",
                   policy.planned_submissions, "; raise epsilon, delta or the planned number"));
}

}  // namespace

absl::StatusOr<int64_t> NeededSubmissions(const Task& task) {
  const BatchPolicy& policy = task.batch_policy();
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t honest, task.scheme()->SmallestHonest(
                                                     task.target().epsilon, task.target().delta));
  const double estimate = std::floor(static_cast<double>(honest) / (1.0 - policy.dishonest_share));
  // Beyond this a double does not count by ones, and nobody plans such a batch.
  if (estimate >= 0x1p50) return NeverMet(absl::StrCat("about ", estimate), policy);
  int64_t needed = std::max(static_cast<int64_t>(estimate), policy.smallest_batch);
  while (task.Honest(needed) < honest) ++needed;
  if (needed > policy.planned_submissions) return NeverMet(absl::StrCat(needed), policy);
  return needed;
}

}  // namespace tombola
