// What one submission of a device costs it, in a form that several of them can be composed in.
#ifndef TOMBOLA_COMMON_ACCOUNTING_SUBMISSION_LOSS_H_
#define TOMBOLA_COMMON_ACCOUNTING_SUBMISSION_LOSS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/work.h"

namespace tombola::accounting {

// The loss of one submission in its batch, whatever the others hold and whatever was seen of
// earlier batches. The parts read the same backwards.
struct SubmissionLoss {
  std::vector<LossPart> parts;
  // What is to be added to delta besides, at every epsilon ...
  double charge = 0;
  // ... and (1 + e^epsilon) times, epsilon being the one of all submissions together: the
  // probability that draws are not those of the law that was accounted for.
  double difference = 0;
};

// The delta and the epsilon of `uses` >= 1 submissions of a device, no two of them in one batch and
// each of at most this loss (Zhu, Dong, Wang 2022). EpsilonOver finds the smallest one to 1e-6
// relative on its grid, always one at which the delta was evaluated and was at most total_delta.
// InvalidArgument as ProductDelta; FailedPrecondition if no epsilon will do.
absl::StatusOr<double> DeltaOver(const SubmissionLoss& one, int64_t uses, double epsilon);
// At least DeltaOver one use, as CoarseProductDelta, and errors as it has.
absl::StatusOr<double> CoarseDeltaOver(const SubmissionLoss& one, double epsilon,
                                       Work* work = nullptr);
// ResourceExhausted, of EpsilonOver, as ProductEpsilon.
absl::StatusOr<double> EpsilonOver(const SubmissionLoss& one, int64_t uses, double total_delta,
                                   Work* work = nullptr);

// Of a curve of guarantees: 400 points, and a search among 55 million for its width.
inline constexpr int kMostLossEvaluations = 500;

// The loss of what only its guarantees are known of: delta_at bounds, at every epsilon > 0, both
// orders of every two neighbours (FromCurve). It is evaluated kMostLossEvaluations times at most,
// up to the epsilon at which delta is at most `negligible` > 0. Composed with itself this is some
// permille above the loss that the guarantees come from. FailedPrecondition if delta_at is never
// small.
absl::StatusOr<SubmissionLoss> LossFromCurve(DeltaAt delta_at, double negligible);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_SUBMISSION_LOSS_H_
