// What correlated noise guarantees: messages +1 and -1 for each value, most of which cancel.
//
// For each value the collector sees how many messages say +1, x + N1 + F, and how many say -1,
// N2 + F, where x is the true count, N1 and N2 are geometric (their difference is discrete Laplace
// noise and all that is left in the estimate) and F, the flood, is negative binomial and only hides
// N1 and N2. The idea is that of Ghazi, Golowich, Kumar, Manurangsi, Pagh and Velingker, "Pure
// differentially private summation from anonymous messages" (2020); the accountant is our own and
// exact. With p = e^-noise_epsilon the difference z of the two numbers is independent of the lesser
// one k, which has the law H of F plus a geometric of p^2. One more +1 moves z by one, and k by one
// if z < 0. Hence with a = 1/(1+p), b = p/(1+p) and H'(k) = H(k-1)
//   delta = sum [a^2 H - e^epsilon b^2 H']_+ + sum [b^2 H' - e^epsilon a^2 H]_+
//           + a b TwoBucketDelta(H, epsilon),
// the cases by the signs of z for the two values. Pure functions, thread-safe.
//
// Guaranteed: never below the divergence of the two values' counts; windows and rounding are
// charged as in two_bucket.h. More noise of the same kinds is post-processing and only helps.
// Not guaranteed: anything if the honest devices' shares add up to less than these laws. With a
// shape below 1, N1 - N2 is not discrete Laplace and nothing here applies: give every device its
// share for the smallest number of honest devices. Nothing is left if the shuffler colludes.
#ifndef TOMBOLA_COMMON_ACCOUNTING_CORRELATED_H_
#define TOMBOLA_COMMON_ACCOUNTING_CORRELATED_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/accounting/noise_law.h"

namespace tombola::accounting {

// The noise of a whole batch on one value. No field has a usable default.
struct CorrelatedNoise {
  // Pr[N1 = k] = (1 - p) p^k with p = e^-noise_epsilon; in [1e-5, 700]. The estimate's variance is
  // 2p/(1-p)^2. The guarantee's epsilon is above twice this.
  double noise_epsilon = 0;
  // F is negative binomial of this shape, at least 1, ...
  double shape = 0;
  // ... and this success probability, in (0, 1). F costs two messages each.
  double flood = 0;
};

// InvalidArgument, naming the field and its bound, unless every field is in range and the standard
// deviation of F at most kLargestDeviation.
absl::Status Validate(const CorrelatedNoise& noise);

// The expected number of messages of noise for one value, N1 + N2 + 2F.
double ExpectedMessages(const CorrelatedNoise& noise);

// H, the law of the lesser of the two numbers: for those who evaluate the delta more than once.
absl::StatusOr<NoiseLaw> LesserCount(const CorrelatedNoise& noise);

// The delta that holds at epsilon > 0, in [0, 1].
absl::StatusOr<double> CorrelatedDelta(const CorrelatedNoise& noise, double epsilon);
absl::StatusOr<double> CorrelatedDelta(const NoiseLaw& lesser, double noise_epsilon,
                                       double epsilon);

// The smallest epsilon at which CorrelatedDelta was evaluated and was at most delta, to 1e-6
// relative. FailedPrecondition if there is none up to 700.
absl::StatusOr<double> CorrelatedEpsilon(const CorrelatedNoise& noise, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_CORRELATED_H_
