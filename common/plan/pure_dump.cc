#include "common/mechanism/pure_dump.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

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

// The smallest cap on one submission's dummies of this rate.
absl::StatusOr<int64_t> CapFor(uint64_t rate, double draws, const PlanRequest& request) {
  const double honest = static_cast<double>(request.honest);
  const CountTable table = CountTable::Poisson(rate);
  return SmallestCap(
      PureDump::kName, request,
      [&](int64_t cap) { return table.Above(static_cast<uint32_t>(cap)) * honest; },
      draws - honest * CountTable::kError);
}

// With noise of its own on every level.
absl::StatusOr<PureDump> PlanOfLevels(const PlanRequest& request, const DeltaShares& shares) {
  std::vector<double> shape;
  for (const LevelNoise& level : request.levels) shape.push_back(level.noise);
  TOMBOLA_ASSIGN_OR_RETURN(
      const double scale,
      accounting::SmallestPoissonScale(shape, request.epsilon, shares.noise, request.work));
  std::vector<DummyLevel> levels;
  DummyOptions options{.honest = request.honest};
  uint64_t rate = 0;
  for (const LevelNoise& level : request.levels) {
    const double mean = scale * level.noise * static_cast<double>(level.cells) /
                        static_cast<double>(request.honest);
    levels.push_back({.cells = level.cells});
    TOMBOLA_ASSIGN_OR_RETURN(levels.back().rate, RateFor(PureDump::kName, request, mean));
    rate += levels.back().rate;
  }
  // What each level could draw may be too many for a table together.
  TOMBOLA_RETURN_IF_ERROR(
      RateFor(PureDump::kName, request, std::ldexp(static_cast<double>(rate), -kRateBits))
          .status());
  TOMBOLA_ASSIGN_OR_RETURN(options.max, CapFor(rate, shares.draws, request));
  return PureDump::Create(options, std::move(levels));
}

}  // namespace

absl::StatusOr<DeltaShares> PureDumpShares(const PlanRequest& request) {
  return ShareDelta(request, static_cast<double>(request.honest) * CountTable::kError);
}

absl::StatusOr<PureDump> PureDumpWith(double dummies, double draws, const PlanRequest& request) {
  const double honest = static_cast<double>(request.honest);
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t rate,
                           RateFor(PureDump::kName, request,
                                   dummies * static_cast<double>(request.domain_size) / honest));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t max, CapFor(rate, draws, request));
  return PureDump::Create({.rate = rate, .honest = request.honest, .max = max}, request.domain_size,
                          request.filling);
}

template <>
PlannedMechanism Plan<PureDump>(const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(RefuseLocalCap(PureDump::kName, request));
  TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, PureDumpShares(request));
  if (!request.levels.empty()) return Planned(PlanOfLevels(request, shares), request);
  TOMBOLA_ASSIGN_OR_RETURN(const double dummies, DummiesFor(request, shares.noise));
  return Planned(PureDumpWith(dummies, shares.draws, request), request);
}

}  // namespace tombola::mechanism
