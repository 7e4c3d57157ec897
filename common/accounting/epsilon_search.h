// The smallest epsilon of an accountant that says delta.
#ifndef TOMBOLA_COMMON_ACCOUNTING_EPSILON_SEARCH_H_
#define TOMBOLA_COMMON_ACCOUNTING_EPSILON_SEARCH_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tombola::accounting {

// The delta that holds at an epsilon > 0.
using DeltaAt = absl::FunctionRef<absl::StatusOr<double>(double epsilon)>;

// The smallest epsilon in [1e-9, 700] with delta_at(epsilon) <= delta, to 1e-6 relative: always a
// point that was evaluated and met the target; that delta_at falls matters for its being the
// smallest only. About fifteen evaluations. The first error of delta_at is returned.
// InvalidArgument unless delta is in (0, 1); FailedPrecondition if no epsilon up to 700 will do.
absl::StatusOr<double> SmallestEpsilon(DeltaAt delta_at, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_EPSILON_SEARCH_H_
