#include "common/plan/blanket.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/published.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

accounting::Blanket BlanketOf(const PlanRequest& request, const Meanings& meanings, double gamma) {
  return {request.honest, meanings.range, gamma, meanings.fakes, meanings.collision};
}

}  // namespace

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

absl::StatusOr<double> AllowedKappa(const PlanRequest& request, const Meanings& meanings) {
  if (request.method == Method::kPublished) {
    TOMBOLA_ASSIGN_OR_RETURN(const double cover, PublishedCover(request));
    const auto fakes = static_cast<double>(meanings.fakes);
    return std::min(PublishedKappa(request, cover, meanings.range, fakes), KappaCap(request));
  }
  if (KappaCap(request) <= KappaAlone(request)) return KappaCap(request);
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                           accounting::LargestKappa(BlanketOf(request, meanings, /*gamma=*/0),
                                                    request.epsilon, request.delta, request.work));
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

absl::StatusOr<uint64_t> MeetingThreshold(const PlanRequest& request, const Meanings& meanings,
                                          double kappa) {
  return MeetingThreshold(request, meanings.range, kappa, [&](uint64_t threshold) {
    return accounting::Delta(BlanketOf(request, meanings, FractionRoundedDown(threshold)),
                             request.epsilon);
  });
}

}  // namespace tombola::mechanism
