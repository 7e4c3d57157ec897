// The noise with which correlated meets a target.
#ifndef TOMBOLA_COMMON_MECHANISM_CORRELATED_PLAN_H_
#define TOMBOLA_COMMON_MECHANISM_CORRELATED_PLAN_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/mechanism/plan.h"

namespace tombola::mechanism {

// noise_epsilon is nine tenths of half of epsilon, which leaves 1.23 times the variance of central
// Laplace noise, and the flood that with the fewest messages. If these are more than allowed,
// noise_epsilon falls, to three tenths at most: less of the flood is needed then.
// FailedPrecondition if that is not enough, if a local epsilon is asked for, if the honest
// submissions are too few to carry the noise, if epsilon is too small for noise that a device can
// send (below about 0.005), or for the published method, as nobody has published one. Pure; some
// tenths of a second.
absl::StatusOr<std::shared_ptr<const Mechanism>> PlanCorrelated(const PlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_CORRELATED_PLAN_H_
