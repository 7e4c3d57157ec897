// The blanket accountant for batches in which a random number of uniform dummies hides the victim
// too: dummies that devices add, each by chance. (A fixed number, as a shuffler adds, is
// Blanket::fakes.)
//
// The victim's message hides among m - 1 ~ Bin(honest - 1, gamma) + fakes + N uniform ones. To put
// the mean of N in place of N would understate delta, which is convex there: by 3 % with 1,360
// dummies over ten values at epsilon 0.5. Pure functions, thread-safe; guarantees and
// non-guarantees are those of blanket.h.
#ifndef TOMBOLA_COMMON_ACCOUNTING_DUMMIES_H_
#define TOMBOLA_COMMON_ACCOUNTING_DUMMIES_H_

#include "absl/status/statusor.h"
#include "common/accounting/blanket.h"
#include "common/accounting/noise_law.h"

namespace tombola::accounting {

// The delta that holds at epsilon when N has the law `dummies`; gamma = 0 in `blanket` is a device
// that always says its value (pureDUMP), else the value is randomised as well (mixDUMP). At most
// the delta of one message by itself. Within about 0.5 % of the exact expectation for delta >=
// 1e-20. InvalidArgument as Validate(blanket) says.
absl::StatusOr<double> DummiesDelta(const Blanket& blanket, const NoiseLaw& dummies,
                                    double epsilon);

// The smallest epsilon at which DummiesDelta was evaluated and was at most delta, to 1e-6 relative;
// at most the local epsilon. FailedPrecondition if there is none up to 700.
absl::StatusOr<double> DummiesEpsilon(const Blanket& blanket, const NoiseLaw& dummies,
                                      double delta);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_DUMMIES_H_
