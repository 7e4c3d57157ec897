// The least noise that meets a target, for planning mechanisms whose noise is dummies. Every result
// is a point at which the accountant was evaluated and met (epsilon, delta); that delta falls as
// noise grows matters for the results being the least ones only. Pure functions, thread-safe; a
// few milliseconds, at most some tenths of a second.
#ifndef TOMBOLA_COMMON_ACCOUNTING_NOISE_SEARCH_H_
#define TOMBOLA_COMMON_ACCOUNTING_NOISE_SEARCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/accounting/correlated.h"
#include "common/accounting/items.h"
#include "common/accounting/work.h"

namespace tombola::accounting {

// Of one device in one cell.
inline constexpr int64_t kMostUnits = 4096;

// All are InvalidArgument for arguments out of range, and FailedPrecondition if no noise with a
// standard deviation up to kLargestDeviation meets the target. For several cells they count what
// they look at in `work`, unless it is null, and are ResourceExhausted if it has too little left.

// The smallest mean of Poisson noise on each cell that hides `cells` >= 1 cells of a device, of
// `units` in [1, kMostUnits] reports each, to 1e-7 relative for one of one and 1e-4 for several.
// Depends on nothing else.
absl::StatusOr<double> SmallestPoissonMean(double epsilon, double delta, int64_t cells = 1,
                                           Work* work = nullptr, int64_t units = 1);

// The smallest factor, to 1e-4 relative, by which the means of Poisson noise `shape` on the cells
// of each level have to be multiplied, so that they hide a device of one cell on every level
// (CellOnEachLevel). 1 to kMostNoiseLevels levels, every shape above 0.
absl::StatusOr<double> SmallestPoissonScale(absl::Span<const double> shape, double epsilon,
                                            double delta, Work* work = nullptr);

// The smallest gamma up to 1/2 with which BinomialNoise(honest, gamma) meets the target, as
// precisely (AUE).
absl::StatusOr<double> SmallestCoin(int64_t honest, double epsilon, double delta, int64_t cells = 1,
                                    Work* work = nullptr, int64_t units = 1);

// The smallest shape of the flood, at least 1, given its success probability: to 1e-5 relative for
// one cell, 1e-3 for several.
absl::StatusOr<double> SmallestShape(double noise_epsilon, double flood, double epsilon,
                                     double delta, int64_t cells = 1, Work* work = nullptr);

// The flood with the fewest expected messages for a noise_epsilon that leaves room for one (below
// epsilon / 2 for one cell, LargestNoiseEpsilon for several): the best of a
// refined grid of success probabilities, each with its smallest shape. No better one is within a
// few tenths of a percent on the grid; that the grid holds the optimum is not proven.
absl::StatusOr<CorrelatedNoise> SmallestFlood(double noise_epsilon, double epsilon, double delta,
                                              int64_t cells = 1, Work* work = nullptr);

// The largest noise_epsilon that an unlimited flood leaves room for, to 1e-9 relative: `cells`
// gained and as many lost are then so many randomised responses.
absl::StatusOr<double> LargestNoiseEpsilon(double epsilon, double delta, int64_t cells);

// The smallest gamma in (0, 1) of Responses (items.h, whose gamma is not looked at) that meets the
// target, to 1e-4 of gamma / (1 - gamma).
absl::StatusOr<double> SmallestResponse(const Responses& responses, double epsilon, double delta,
                                        Work* work = nullptr);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_NOISE_SEARCH_H_
