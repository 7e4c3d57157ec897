// The closed forms of the papers, inside the ranges in which they are proven and refused outside.
// They are far looser than the accountants beside them (docs/errata.md, section 4) and are here for
// comparison. Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_PUBLISHED_H_
#define TOMBOLA_COMMON_ACCOUNTING_PUBLISHED_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::accounting {

// Randomised messages that hide each other: local hashing over `range` buckets, or randomised
// response over as many values. K = e^local_epsilon + range - 1.
struct PublishedBatch {
  int64_t honest = 0;        // at least 2
  double range = 0;          // at least 2
  double local_epsilon = 0;  // finite and > 0
  double dummies = 0;        // uniform messages besides, >= 0
};

// The smallest epsilon with (honest - 1)/K + dummies/range >= 14 ln(2/delta) / epsilon^2: without
// dummies Theorem 1 of HP-SDP, with them the conditions of mixDUMP and of MURS.
// Proven for epsilon <= 1, delta <= 0.29, and saying something only for K >= range + e^epsilon - 1,
// that is epsilon <= local_epsilon: FailedPrecondition with the reason elsewhere. InvalidArgument
// for fields out of their bounds.
absl::StatusOr<double> PublishedEpsilon(const PublishedBatch& batch, double delta);

// The delta of the same condition at epsilon, 2 e^(-epsilon^2 mu / 14), and the same refusals.
absl::StatusOr<double> PublishedDelta(const PublishedBatch& batch, double epsilon);

// The largest K that Theorem 1 allows, epsilon^2 (honest - 1) / (14 ln(2/delta)).
absl::StatusOr<double> PublishedLargestK(int64_t honest, double epsilon, double delta);

// pureDUMP: N = 14 domain ln(2/delta) / epsilon^2 + 1 uniform dummies among `domain` >= 2 values.
// For epsilon <= 1 and delta <= 0.29, else FailedPrecondition.
absl::StatusOr<double> PublishedPureDumpDummies(double domain, double epsilon, double delta);
absl::StatusOr<double> PublishedPureDumpEpsilon(double domain, double dummies, double delta);
absl::StatusOr<double> PublishedPureDumpDelta(double domain, double dummies, double epsilon);

// AUE (Balcer and Cheu, 2020): every device says every value with probability gamma =
// 200 ln(4/delta) / (epsilon^2 honest); each count is (epsilon/2, delta/2)-private. For epsilon < 2
// and gamma <= 1/2 (honest >= 400 ln(4/delta) / epsilon^2), else FailedPrecondition.
absl::StatusOr<double> PublishedAueGamma(int64_t honest, double epsilon, double delta);
absl::StatusOr<double> PublishedAueEpsilon(int64_t honest, double gamma, double delta);
absl::StatusOr<double> PublishedAueDelta(int64_t honest, double gamma, double epsilon);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_PUBLISHED_H_
