// Searches over the blanket accountant: the smallest epsilon, the smallest batch and the largest
// local budget. Every result is a point at which Delta was evaluated and met the target; that
// delta is monotone matters for the results being the best ones, never for their being safe. Pure
// functions, thread-safe; milliseconds, at most a few tenths of a second at 1e8 submissions.
#ifndef TOMBOLA_COMMON_ACCOUNTING_SEARCH_H_
#define TOMBOLA_COMMON_ACCOUNTING_SEARCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/accounting/blanket.h"
#include "common/accounting/work.h"

namespace tombola::accounting {

// EpsilonAt looks at nothing smaller, LargestKappa at nothing larger.
inline constexpr double kSmallestEpsilon = 1e-9;
inline constexpr double kLargestKappa = 1e18;

// The smallest epsilon with Delta(blanket, epsilon) <= delta, to 1e-6 relative; at most the local
// epsilon, where delta is 0. InvalidArgument for arguments out of range; FailedPrecondition if
// the local epsilon exceeds 700 (gamma = 0) and not even epsilon = 700 meets the delta.
absl::StatusOr<double> EpsilonAt(const Blanket& blanket, double delta);

// The smallest number of honest submissions that meets (epsilon, delta); exact where the batch is
// so small that no bins are used, else a number that meets it while one less does not.
// InvalidArgument for arguments out of range; FailedPrecondition if kLargestBatch is not enough.
// `batch.honest` is not looked at.
absl::StatusOr<int64_t> SmallestHonest(const Blanket& batch, double epsilon, double delta);

// The largest kappa = e^{e_l} - 1 up to kLargestKappa, to 1e-5 relative, with which a batch of
// blanket probability GammaOf(range, kappa) meets (epsilon, delta). At least e^epsilon - 1 (less
// 1e-14 relative, so that rounding keeps the local epsilon below epsilon), which needs no shuffler
// at all. InvalidArgument for arguments out of range; FailedPrecondition if the range is so large
// that a double cannot hold the gamma of e^epsilon - 1. `batch.gamma` is not looked at. Also
// ResourceExhausted, if `work` is not null and its searches together have too little left.
absl::StatusOr<double> LargestKappa(const Blanket& batch, double epsilon, double delta,
                                    Work* work = nullptr);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_SEARCH_H_
