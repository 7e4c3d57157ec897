// What independent noise on every count guarantees: the accountant of dummies that devices add
// value by value.
//
// The collector sees, for each value, how many messages say it: the true count plus noise, drawn
// independently for each value from one law f. Changing the victim's value from v to v' moves one
// message between two counts and leaves the rest alike, so the divergence is that of two counts:
//   delta = sum over (a, b) of [f(a-1) f(b) - e^epsilon f(a) f(b-1)]_+.
// With rho(a) = f(a-1)/f(a), which does not fall if f is log-concave, the positive terms for one b
// are those from some a = A(b) on, and the sum is
//   sum over b of [S(A-1) f(b) - e^epsilon S(A) f(b-1)]_+,  S(k) = Pr[noise >= k].
// It is the same in both directions. Pure functions, thread-safe.
//
// Guaranteed: the result is never below that divergence; what a law's window leaves out is added
// and rounding is covered by a relative 1e-9. It is the divergence itself, not a bound, as far as
// nobody's noise is known to the observer.
// Not guaranteed: anything if the shuffler colludes, since messages alone hide nothing; anything if
// part of the noise comes from devices that the observer controls, unless the law leaves it out.
#ifndef TOMBOLA_COMMON_ACCOUNTING_TWO_BUCKET_H_
#define TOMBOLA_COMMON_ACCOUNTING_TWO_BUCKET_H_

#include "absl/status/statusor.h"
#include "common/accounting/noise_law.h"

namespace tombola::accounting {

// The delta that holds at epsilon > 0, in [0, 1], in time proportional to the law's window:
//   BinomialNoise(honest, gamma): every device says every value with probability gamma (AUE; Balcer
//     and Cheu, "Separating local and shuffled differential privacy via histograms", 2020);
//   PoissonNoise(lambda): a Poisson number of uniform dummies, lambda for each value in the batch
//     (the counts of different values are then independent);
//   NegativeBinomialNoise(r, p): noise that devices add up from shares.
// InvalidArgument unless epsilon is finite and > 0.
absl::StatusOr<double> TwoBucketDelta(const NoiseLaw& law, double epsilon);

// The smallest epsilon at which TwoBucketDelta was evaluated and was at most delta, to 1e-6
// relative. InvalidArgument unless delta is in (0, 1); FailedPrecondition if there is none up to
// 700, as where Pr[noise = 0] alone exceeds delta.
absl::StatusOr<double> TwoBucketEpsilon(const NoiseLaw& law, double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_TWO_BUCKET_H_
