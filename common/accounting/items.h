// What hides a record of several cells: the accountants of devices that fill up to `held` cells of
// a table and send `sent` of them, drawn uniformly. Pure functions, thread-safe.
//
// Guaranteed: never below the divergence for two records that differ in any number of their cells;
// docs/privacy.md ("Several cells of a device") has the proofs. Every device, the victim too, draws
// its share of the noise whatever it holds, and fills no cell more often than it is accounted for:
// once, or `units` times where there is such an argument.
// Not guaranteed: anything if the shuffler colludes, but for the responses' own randomness.
#ifndef TOMBOLA_COMMON_ACCOUNTING_ITEMS_H_
#define TOMBOLA_COMMON_ACCOUNTING_ITEMS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/submission_loss.h"
#include "common/accounting/work.h"

namespace tombola::accounting {

// Noise of this law on every cell; a device sends `cells` * `units` reports, both >= 1, of which at
// most `units` name the same one (SeveralCells). Exact for one cell and unit, and the product of
// losses else. Errors as TwoBucketDelta and ProductDelta.
absl::StatusOr<double> CellsDelta(const NoiseLaw& law, int64_t cells, double epsilon,
                                  int64_t units = 1);
absl::StatusOr<double> CellsEpsilon(const NoiseLaw& law, int64_t cells, double delta,
                                    int64_t units = 1);
// At least CellsDelta, by next to nothing: CoarseProductDelta where that is a product.
absl::StatusOr<double> CoarseCellsDelta(const NoiseLaw& law, int64_t cells, double epsilon,
                                        Work* work, int64_t units = 1);

// The same for correlated noise (correlated.h); `lesser` is LesserCount of it.
absl::StatusOr<double> CorrelatedCellsDelta(const NoiseLaw& lesser, double noise_epsilon,
                                            int64_t cells, double epsilon);
absl::StatusOr<double> CoarseCorrelatedCellsDelta(const NoiseLaw& lesser, double noise_epsilon,
                                                  int64_t cells, double epsilon, Work* work);

// The law of a cell's noise that `sent` of `held` cells, sent >= 1 dividing held, see among Poisson
// dummies of this mean on each cell: one of held/sent cells is filled, and all of them hide it.
// `sent` cells of that law are then what is accounted for.
absl::StatusOr<NoiseLaw> SampledPoisson(double mean, int64_t held, int64_t sent);

// What a record of one cell on each of several levels changes, where a cell of level j has Poisson
// noise of means[j]: exactly the product of a cell gained and one lost on every level, and so the
// same read backwards. InvalidArgument unless there are 1 to kMostNoiseLevels means, each above 0.
inline constexpr int64_t kMostNoiseLevels = 24;
absl::StatusOr<std::vector<LossPart>> CellOnEachLevel(absl::Span<const double> means);

// `sent` >= 2 of `held` cells, each by randomised response over `cells` of them: with probability
// gamma a report names a uniform cell instead. No field has a usable default.
struct Responses {
  int64_t honest = 0;  // submissions, the victim's included; [1, kLargestBatch / sent]
  int64_t cells = 0;
  int64_t held = 0;
  int64_t sent = 0;   // at least 2, divides held
  double gamma = -1;  // (0, 1)
};

// The loss of one submission. Which reports are uniform is told to the observer; the crowd of
// uniform ones is thinned to a Poisson number, up to a probability of `charge` > 0, which is
// charged. FailedPrecondition if the crowd is too small for that.
absl::StatusOr<SubmissionLoss> ResponsesLoss(const Responses& responses, double charge);
// At epsilon > 0, the charge being a thousandth of the result or less.
absl::StatusOr<double> ResponsesDelta(const Responses& responses, double epsilon);
// The same for a search for `delta`, of which the charge is a thousandth; errors as
// CoarseProductDelta. 1 if the crowd is too small.
absl::StatusOr<double> CoarseResponsesDelta(const Responses& responses, double epsilon,
                                            double delta, Work* work);
absl::StatusOr<double> ResponsesEpsilon(const Responses& responses, double delta);
// The fewest honest submissions, responses.honest not being looked at, that were seen to meet the
// target while one less does not. FailedPrecondition if 2^40 reports are not enough.
absl::StatusOr<int64_t> SmallestResponsesHonest(const Responses& responses, double epsilon,
                                                double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_ITEMS_H_
