// What the planners of aue, pure_dump and correlated share: mechanisms that hide a value by noise
// from all devices and by nothing else. Pure functions; requests are valid (PlanOne checks them).
#ifndef TOMBOLA_COMMON_PLAN_SPREAD_NOISE_H_
#define TOMBOLA_COMMON_PLAN_SPREAD_NOISE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/accounting/correlated.h"
#include "common/base/status_macros.h"
#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/pure_dump.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

// FailedPrecondition if the request wants something to be left when the shuffler colludes.
absl::Status RefuseLocalCap(absl::string_view name, const PlanRequest& request);

// How a request's delta is divided: between the noise's law and what caps and tables cost, with a
// little that nobody uses.
struct DeltaShares {
  double noise = 0;
  double draws = 0;
};

// A millionth for the draws, or twice what their tables cost at least. FailedPrecondition if
// that is more than a quarter of delta.
absl::StatusOr<DeltaShares> ShareDelta(const PlanRequest& request, double tables);

// The smallest cap in [1, 65534] on one submission's noise with above(cap), which does not rise, at
// most `allowed`. FailedPrecondition if there is none.
absl::StatusOr<int64_t> SmallestCap(absl::string_view name, const PlanRequest& request,
                                    absl::FunctionRef<double(int64_t)> above, double allowed);

// A rate of CountTable for this many draws a submission, rounded up. FailedPrecondition if there
// are too many for a table.
absl::StatusOr<uint64_t> RateFor(absl::string_view name, const PlanRequest& request, double mean);

// How a mechanism's planner divides delta.
absl::StatusOr<DeltaShares> PureDumpShares(const PlanRequest& request);
absl::StatusOr<DeltaShares> AueShares(const PlanRequest& request);
absl::StatusOr<DeltaShares> CorrelatedShares(const PlanRequest& request);

// A mechanism with so much noise on each value, or a little more, spread over the request's honest
// submissions, and the smallest cap with which caps and tables cost at most `draws` (as above).
// FailedPrecondition if that takes more messages of a submission than there can be. Whether it
// meets the request's target is not looked at.
absl::StatusOr<PureDump> PureDumpWith(double dummies, double draws, const PlanRequest& request);
absl::StatusOr<Aue> AueWith(double gamma, double draws, const PlanRequest& request);
absl::StatusOr<Correlated> CorrelatedWith(const accounting::CorrelatedNoise& noise, double draws,
                                          const PlanRequest& request);

// FailedPrecondition if a mechanism needs more messages than the request allows, and if its delta,
// evaluated, is not at most the request's.
absl::Status CheckPlanned(const Mechanism& mechanism, const PlanRequest& request);

// What a planner hands out.
template <typename M>
absl::StatusOr<std::shared_ptr<const Mechanism>> Planned(absl::StatusOr<M> made,
                                                         const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(made.status());
  TOMBOLA_RETURN_IF_ERROR(CheckPlanned(*made, request));
  return std::make_shared<const M>(*std::move(made));
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_SPREAD_NOISE_H_
