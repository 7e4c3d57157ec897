#include "common/mechanism/pure_dump.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/published.h"
#include "common/base/status_macros.h"
#include "common/mechanism/count_table.h"
#include "common/plan/planners.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {
namespace {

// Dummies of a batch for each value.
absl::StatusOr<double> DummiesFor(const PlanRequest& request, double delta) {
  if (request.method == Method::kTight) {
    const Filling& filling = request.filling;
    const absl::StatusOr<double> mean = accounting::SmallestPoissonMean(
        request.epsilon, delta, filling.cells(), request.work, filling.units);
    // Of each of held/sent cells; rounded up.
    const double share = static_cast<double>(filling.sent) / static_cast<double>(filling.held);
    if (mean.ok()) return *mean * share * (share < 1 ? 1 + 1e-12 : 1);
    if (!absl::IsFailedPrecondition(mean.status())) return mean;
    return absl::FailedPreconditionError(
        absl::StrCat("epsilon ", request.epsilon, " and delta ", request.delta,
                     " need more than 1e10 dummies for each value"));
  }
  const double values = static_cast<double>(request.domain_size);
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies, accounting::PublishedPureDumpDummies(
                                                     values, request.epsilon, request.delta));
  return dummies / values;
}

}  // namespace

template <>
PlannedMechanism Plan<PureDump>(const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(RefuseLocalCap(PureDump::kName, request));
  const double honest = static_cast<double>(request.honest);
  const double tables = honest * CountTable::kError;
  TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, ShareDelta(request, tables));
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies, DummiesFor(request, shares.noise));
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t rate,
                           RateFor(PureDump::kName, request,
                                   dummies * static_cast<double>(request.domain_size) / honest));
  const CountTable table = CountTable::Poisson(rate);
  TOMBOLA_ASSIGN_OR_RETURN(
      const int64_t max,
      SmallestCap(
          PureDump::kName, request,
          [&](int64_t cap) { return table.Above(static_cast<uint32_t>(cap)) * honest; },
          shares.draws - tables));
  return Planned(PureDump::Create({.rate = rate, .honest = request.honest, .max = max},
                                  request.domain_size, request.filling),
                 request);
}

}  // namespace tombola::mechanism
