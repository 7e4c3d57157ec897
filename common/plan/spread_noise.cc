#include "common/plan/spread_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/decimal.h"
#include "common/mechanism/count_table.h"

namespace tombola::mechanism {
namespace {

constexpr double kShareOfDraws = 1e-6;
// So that a search for epsilon, to 1e-6 relative, does not come out above the target.
constexpr double kUnused = 1e-4;
constexpr int64_t kLargestCap = 65534;
constexpr double kLargestMean = 16384;

}  // namespace

absl::Status RefuseLocalCap(absl::string_view name, const PlanRequest& request) {
  if (std::isinf(request.max_local_epsilon)) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(name, " leaves nothing if the shuffler colludes (no local epsilon); the cap is ",
                   request.max_local_epsilon));
}

absl::StatusOr<DeltaShares> ShareDelta(const PlanRequest& request, double tables) {
  const double draws = std::max(kShareOfDraws * request.delta, 2 * tables);
  if (draws <= request.delta / 4)
    return DeltaShares{request.delta * (1 - kUnused) - 2 * draws, draws};
  return absl::FailedPreconditionError(
      absl::StrCat("delta ", request.delta, " is below what the tables that ", request.honest,
                   " honest submissions draw from can tell, ", 8 * tables));
}

absl::StatusOr<int64_t> SmallestCap(absl::string_view name, const PlanRequest& request,
                                    absl::FunctionRef<double(int64_t)> above, double allowed) {
  if (!(above(kLargestCap) <= allowed)) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, " needs more than ", kLargestCap, " messages of noise of some of ",
                     request.honest, " honest submissions, too few for this target and domain"));
  }
  int64_t too_small = 0;
  int64_t enough = kLargestCap;
  while (enough - too_small > 1) {
    const int64_t middle = too_small + (enough - too_small) / 2;
    (above(middle) <= allowed ? enough : too_small) = middle;
  }
  return enough;
}

absl::StatusOr<uint64_t> RateFor(absl::string_view name, const PlanRequest& request, double mean) {
  constexpr double kRoundUp = 1 + 1e-12;
  if (mean * kRoundUp <= kLargestMean) {
    return static_cast<uint64_t>(std::ceil(std::ldexp(mean * kRoundUp, kRateBits)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(name, " needs ", mean, " draws of noise of each of ", request.honest,
                   " honest submissions; at most ", kLargestMean, " can be"));
}

absl::Status CheckPlanned(const Mechanism& mechanism, const PlanRequest& request) {
  const double messages = mechanism.expected_reports_per_submission();
  if (messages > request.max_messages) {
    return absl::FailedPreconditionError(absl::StrCat(mechanism.name(), " needs ", messages,
                                                      " messages a submission; the cap is ",
                                                      request.max_messages));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, mechanism.Delta(request.honest, request.epsilon));
  if (delta <= request.delta) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the best ", mechanism.name(), " has delta ",
                                                    RoundedUp(delta, 6), " at epsilon ",
                                                    RoundedUp(request.epsilon, 6)));
}

}  // namespace tombola::mechanism
