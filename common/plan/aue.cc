#include "common/mechanism/aue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/published.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/plan/planners.h"
#include "common/plan/spread_noise.h"

namespace tombola::mechanism {
namespace {

absl::StatusOr<double> CoinFor(const PlanRequest& request, double delta) {
  if (request.method == Method::kPublished) {
    return accounting::PublishedAueGamma(request.honest, request.epsilon, request.delta);
  }
  absl::StatusOr<double> gamma =
      accounting::SmallestCoin(request.honest, std::min(request.epsilon, kLargestUsedEpsilon),
                               delta, request.filling.cells(), request.work, request.filling.units);
  if (!absl::IsFailedPrecondition(gamma.status())) return gamma;
  return absl::FailedPreconditionError(
      absl::StrCat("aue cannot meet the target with ", request.honest,
                   " honest submissions: even fair coins are too little noise"));
}

// gamma * 2^64 for gamma <= 1/2, rounded up.
uint64_t CoinThreshold(double gamma) {
  constexpr double kRoundUp = 1 + 4 * std::numeric_limits<double>::epsilon();
  const double scaled = std::ceil(std::ldexp(gamma * kRoundUp, 64));
  constexpr double kMost = 0x1p63;
  return scaled < kMost ? static_cast<uint64_t>(scaled) : uint64_t{1} << 63;
}

}  // namespace

template <>
PlannedMechanism Plan<Aue>(const PlanRequest& request) {
  TOMBOLA_RETURN_IF_ERROR(RefuseLocalCap(Aue::kName, request));
  TOMBOLA_ASSIGN_OR_RETURN(const DeltaShares shares, ShareDelta(request, /*tables=*/0));
  TOMBOLA_ASSIGN_OR_RETURN(const double gamma, CoinFor(request, shares.noise));
  AueOptions options{.coin_threshold = CoinThreshold(gamma),
                     .honest = request.honest,
                     .domain_size = request.domain_size,
                     .filling = request.filling};
  TOMBOLA_ASSIGN_OR_RETURN(
      options.max_dummies,
      SmallestCap(
          Aue::kName, request,
          [&](int64_t cap) {
            const double above = AboveCap(options.domain_size, options.coin_threshold, cap);
            return DifferenceCharge(static_cast<double>(request.honest) * above,
                                    std::min(request.epsilon, kLargestUsedEpsilon));
          },
          shares.draws));
  return Planned(Aue::Create(options), request);
}

}  // namespace tombola::mechanism
