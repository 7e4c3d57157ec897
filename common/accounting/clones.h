// What shuffling does for any local randomiser: the clones bound of Feldman, McMillan and Talwar,
// "Hiding among the clones: a simple and nearly optimal analysis of privacy amplification by
// shuffling" (2021). It knows nothing of the randomiser but its local epsilon e0, so it is looser
// than an accountant that knows the mechanism (blanket.h). Pure functions, thread-safe.
//
// Theorem 3.2 there: n shuffled messages are no easier to tell apart than (A + D, C - A + 1 - D)
// and (A + 1 - D, C - A + D), where C ~ Bin(n - 1, e^-e0), A ~ Bin(C, 1/2) and D is 1 with
// probability e^e0 / (e^e0 + 1). Guaranteed: never below the divergence of that pair, by the means
// of blanket.h. Not guaranteed: anything for a randomiser that is (e0, delta0)-private only.
#ifndef TOMBOLA_COMMON_ACCOUNTING_CLONES_H_
#define TOMBOLA_COMMON_ACCOUNTING_CLONES_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::accounting {

// The delta that holds at epsilon; 0 from e0 on. Every number of clones is summed if there are at
// most 20,000 in question, else bins as in message_bins.h. InvalidArgument unless honest is in
// [1, 2^40], local_epsilon (e0) in (0, 700] and epsilon finite and > 0.
absl::StatusOr<double> ClonesDelta(int64_t honest, double local_epsilon, double epsilon);

// The smallest epsilon at which ClonesDelta was evaluated and was at most delta, to 1e-6 relative;
// at most e0.
absl::StatusOr<double> ClonesEpsilon(int64_t honest, double local_epsilon, double delta);

// The closed form (Theorem 3.1) as its authors' published program evaluates it:
//   ln(1 + (1 - e^-e0) / (1 + e^-(e0 + x)) y),  y = 8 sqrt(e^e0 ln(4/delta) / n) + 8 e^e0 / n,
//   x = ln(1 + y).
// FailedPrecondition unless e0 <= ln(n / (16 ln(4/delta))), where the theorem holds.
absl::StatusOr<double> ClonesClosedEpsilon(int64_t honest, double local_epsilon, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_CLONES_H_
