// Noise that is spread over devices and that they draw not quite by the law that an accountant
// assumes: what a cap on messages and tables of whole numbers cost. Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_MECHANISM_SPREAD_NOISE_H_
#define TOMBOLA_COMMON_MECHANISM_SPREAD_NOISE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/accounting/epsilon_search.h"
#include "common/mechanism/mechanism.h"

namespace tombola::mechanism {

// What is to be added to the delta at `epsilon` if the draws of a batch are those of the accounted
// law but for this probability, whatever they are then: P(S) <= P'(S) + probability for both values
// of the victim, hence (1 + e^epsilon) probability. Rounded up; at most 1.
double DifferenceCharge(double probability, double epsilon);

// The charge grows with epsilon. A guarantee holds for every larger epsilon as well, so that
// nothing is gained by accounting at more than this.
inline constexpr double kLargestUsedEpsilon = 10;

// delta_at + DifferenceCharge, at most 1, at `epsilon` or at kLargestUsedEpsilon if that is less.
absl::StatusOr<double> DeltaDespiteDifference(accounting::DeltaAt delta_at, double probability,
                                              double epsilon);

// The smallest epsilon, to about 1e-6 relative, at which the former is at most delta, if delta_at
// does not rise and half of delta is enough for the charge; else one that will do.
// InvalidArgument unless delta is in (0, 1); FailedPrecondition if none was found.
absl::StatusOr<double> EpsilonDespiteDifference(accounting::DeltaAt delta_at, double probability,
                                                double delta);

// SmallestHonest of a mechanism whose noise is sized for `honest` submissions: that number if the
// target holds for it, else FailedPrecondition with the delta that does.
absl::StatusOr<int64_t> SizedHonest(const Mechanism& mechanism, int64_t honest, double epsilon,
                                    double delta);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_SPREAD_NOISE_H_
