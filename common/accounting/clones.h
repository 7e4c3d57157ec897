// What shuffling does for any local randomiser, of which nothing is known but its local epsilon e0:
// the bound of Feldman, McMillan and Talwar, "Stronger Privacy Amplification by Shuffling for Renyi
// and Approximate Differential Privacy" (2023). Looser than an accountant that knows the mechanism
// (blanket.h). Pure functions, thread-safe.
//
// No randomiser of e0 is worse than randomised response over two values, for which others are
// clones of the victim with probability 2 / (e^e0 + 1); "Any randomiser" in docs/privacy.md proves
// it. Guaranteed: never below the divergence of that response as blanket.h bounds it. Not
// guaranteed: anything for a randomiser that is (e0, delta0)-private only, or if devices use
// different ones.
#ifndef TOMBOLA_COMMON_ACCOUNTING_CLONES_H_
#define TOMBOLA_COMMON_ACCOUNTING_CLONES_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::accounting {

// The delta that holds at epsilon; 0 from e0 on. InvalidArgument unless honest is in [1, 2^40],
// local_epsilon (e0) in (0, 700] and epsilon finite and > 0.
absl::StatusOr<double> ClonesDelta(int64_t honest, double local_epsilon, double epsilon);

// The smallest epsilon at which ClonesDelta was evaluated and was at most delta, to 1e-6 relative;
// at most e0.
absl::StatusOr<double> ClonesEpsilon(int64_t honest, double local_epsilon, double delta);

// The closed form of the same authors' "Hiding among the clones" (2021), Theorem 3.1, as their
// published program evaluates it:
//   ln(1 + (1 - e^-e0) / (1 + e^-(e0 + x)) y),  y = 8 sqrt(e^e0 ln(4/delta) / n) + 8 e^e0 / n,
//   x = ln(1 + y).
// FailedPrecondition unless e0 <= ln(n / (16 ln(4/delta))), where the theorem holds.
absl::StatusOr<double> ClonesClosedEpsilon(int64_t honest, double local_epsilon, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_CLONES_H_
