// What several uses of one guarantee amount to.
#ifndef TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_
#define TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::accounting {

struct EpsilonDelta {
  double epsilon = 0;
  double delta = 0;
};

// So many times a number, never below the exact product.
double Times(int64_t count, double number);

// Group privacy: what holds for neighbours that differ in `k` >= 1 submissions of one batch when
// `single` holds for one. k epsilon, and delta (e^{k epsilon} - 1) / (e^epsilon - 1), at most 1.
// Because that sum is superadditive in k it also bounds the k submissions spread over batches in
// any way, composed.
EpsilonDelta GroupPrivacy(const EpsilonDelta& single, int64_t k);

// Optimal composition of `uses` mechanisms that are each `single`, chosen adaptively: the smallest
// epsilon that all of them together satisfy with total_delta (Kairouz, Oh, Viswanath, "The
// composition theorem for differential privacy", 2015, Theorem 3.3; in the form for every epsilon
// of Murtagh and Vadhan, "The complexity of computing the optimal composition of differential
// privacy", 2016). With X ~ Bin(uses, e^epsilon / (1 + e^epsilon)) the total delta at e is
//   1 - (1 - delta)^uses (1 - E[(1 - e^{e - (2X - uses) epsilon})_+]).
// Exact to 1e-9 relative and never better than the truth; at most uses * epsilon, 0 if total_delta
// allows that. For uses = 1 and total_delta = delta it is epsilon itself.
// InvalidArgument unless uses is in [1, 2^20], single.epsilon finite and > 0, single.delta in
// [0, 1) and total_delta in [0, 1); FailedPrecondition if total_delta < 1 - (1 - delta)^uses, which
// no epsilon can meet.
absl::StatusOr<double> ComposedEpsilon(const EpsilonDelta& single, int64_t uses,
                                       double total_delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_COMPOSITION_H_
