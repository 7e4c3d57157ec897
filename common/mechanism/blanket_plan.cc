#include "common/mechanism/blanket_plan.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/published.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/mechanism/threshold.h"

namespace tombola::mechanism {

double KappaOf(double local_epsilon) {
  return std::min(std::expm1(local_epsilon), accounting::kLargestKappa);
}

absl::StatusOr<double> PublishedCover(const PlanRequest& request) {
  // With two honest submissions Theorem 1 reads 1/K >= cover.
  TOMBOLA_ASSIGN_OR_RETURN(
      const double k, accounting::PublishedLargestK(/*honest=*/2, request.epsilon, request.delta));
  return 1 / k;
}

double PublishedKappa(const PlanRequest& request, double cover, double range, double dummies) {
  const double missing = cover - dummies / range;
  if (missing <= 0) return accounting::kLargestKappa;
  const double kappa = static_cast<double>(request.honest - 1) / missing - range;
  return std::clamp(kappa, KappaAlone(request), accounting::kLargestKappa);
}

absl::StatusOr<double> AllowedKappa(const PlanRequest& request, double range, int64_t fakes) {
  if (request.method == Method::kPublished) {
    TOMBOLA_ASSIGN_OR_RETURN(const double cover, PublishedCover(request));
    return std::min(PublishedKappa(request, cover, range, static_cast<double>(fakes)),
                    KappaCap(request));
  }
  if (KappaCap(request) <= KappaAlone(request)) return KappaCap(request);
  TOMBOLA_ASSIGN_OR_RETURN(
      const double kappa,
      accounting::LargestKappa(request.honest, range, fakes, request.epsilon, request.delta));
  return std::min(kappa, KappaCap(request));
}

absl::StatusOr<uint64_t> MeetingThreshold(
    const PlanRequest& request, double range, double kappa,
    absl::FunctionRef<absl::StatusOr<double>(uint64_t threshold)> delta_of) {
  // Each further attempt gives way ten times as much.
  for (double step = 1e-12; step < 0.1; step *= 10) {
    const uint64_t threshold = BlanketThreshold(range, kappa);
    const double local = accounting::LocalEpsilon(range, FractionRoundedDown(threshold));
    if (local <= request.max_local_epsilon) {
      TOMBOLA_ASSIGN_OR_RETURN(const double delta, delta_of(threshold));
      if (delta <= request.delta) return threshold;
    }
    kappa *= 1 - step;
  }
  return absl::InternalError(
      absl::StrCat("no blanket_threshold for range ", range, " was seen to meet the target"));
}

absl::StatusOr<uint64_t> MeetingThreshold(const PlanRequest& request, double range, int64_t fakes,
                                          double kappa) {
  return MeetingThreshold(request, range, kappa, [&](uint64_t threshold) {
    return accounting::Delta({request.honest, range, FractionRoundedDown(threshold), fakes},
                             request.epsilon);
  });
}

}  // namespace tombola::mechanism
