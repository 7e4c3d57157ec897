// How far a submission may depend on its value: what the planners of local_hash, grr, murs and
// mix_dump share. Pure functions; requests are valid (PlanOne checks them).
#ifndef TOMBOLA_COMMON_PLAN_BLANKET_H_
#define TOMBOLA_COMMON_PLAN_BLANKET_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

// kappa = e^(local epsilon) - 1, kept at most accounting::kLargestKappa.
double KappaOf(double local_epsilon);
// The kappa that needs no other submission, and the one that the request never allows to exceed.
inline double KappaAlone(const PlanRequest& request) { return KappaOf(request.epsilon); }
inline double KappaCap(const PlanRequest& request) { return KappaOf(request.max_local_epsilon); }

// 14 ln(2/delta) / epsilon^2: the messages, supporting a value by chance, that the closed forms ask
// for (Theorem 1 of HP-SDP and those of mixDUMP and MURS). FailedPrecondition with the reason
// outside the range in which they are proven.
absl::StatusOr<double> PublishedCover(const PlanRequest& request);

// The largest kappa of a closed form, K - range with (honest - 1)/K + dummies/range = cover, or
// KappaAlone if that is more, as where the form says nothing. Not capped.
double PublishedKappa(const PlanRequest& request, double cover, double range, double dummies);

// Messages with `range` equally likely meanings, two of which collide with that probability, beside
// `fakes` uniform ones: what of a blanket does not depend on how it is planned.
struct Meanings {
  double range = 0;
  int64_t fakes = 0;
  double collision = 0;
};

// The largest kappa that the request's method allows for such messages, and at most the cap.
// FailedPrecondition as PublishedCover.
absl::StatusOr<double> AllowedKappa(const PlanRequest& request, const Meanings& meanings);

// The threshold of the blanket's probability for `kappa`, or, where rounding leaves that a hair
// outside the target, for a little less: `delta_of` was evaluated at it and met the target, and the
// local epsilon is at most the cap. Internal if there is none within some percent.
absl::StatusOr<uint64_t> MeetingThreshold(
    const PlanRequest& request, double range, double kappa,
    absl::FunctionRef<absl::StatusOr<double>(uint64_t threshold)> delta_of);

// The same by the blanket accountant.
absl::StatusOr<uint64_t> MeetingThreshold(const PlanRequest& request, const Meanings& meanings,
                                          double kappa);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_BLANKET_H_
