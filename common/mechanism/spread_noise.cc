#include "common/mechanism/spread_noise.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"

namespace tombola::mechanism {
namespace {

constexpr double kRoundUp = 1 + 1e-14;
constexpr double kLargestEpsilon = 700;

}  // namespace

double DifferenceCharge(double probability, double epsilon) {
  if (probability <= 0) return 0;
  const double growth = std::exp(std::min(epsilon, kLargestEpsilon));
  return std::min(1.0, (1 + growth) * probability * kRoundUp);
}

absl::StatusOr<double> DeltaDespiteDifference(accounting::DeltaAt delta_at, double probability,
                                              double epsilon) {
  const double at = std::min(epsilon, kLargestUsedEpsilon);
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, delta_at(at));
  return std::min(1.0, delta + DifferenceCharge(probability, at));
}

// The sum falls with epsilon and then rises. Beyond the point where the charge reaches a share of
// delta the sum at that point serves, and the search sees a function that falls; smaller shares are
// for a delta that delta_at alone nearly uses up.
absl::StatusOr<double> EpsilonDespiteDifference(accounting::DeltaAt delta_at, double probability,
                                                double delta) {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  absl::Status failure = absl::FailedPreconditionError(
      absl::StrCat("delta ", delta, " is too small: that a device draws other noise than it ",
                   "should, by its cap or its tables, has probability up to ", probability));
  for (const double share : {0.5, 1e-2, 1e-4, 1e-6, 0.9, 0.99}) {
    const double growth = share * delta / (kRoundUp * kRoundUp * probability) - 1;
    if (!(growth > 1)) continue;
    const double largest = std::min(std::log(growth), kLargestUsedEpsilon);
    const absl::StatusOr<double> found = accounting::SmallestEpsilon(
        [&](double epsilon) {
          return DeltaDespiteDifference(delta_at, probability, std::min(epsilon, largest));
        },
        delta);
    if (found.ok()) return std::min(*found, largest);
    failure = found.status();
  }
  return failure;
}

absl::StatusOr<int64_t> SizedHonest(const Mechanism& mechanism, int64_t honest, double epsilon,
                                    double delta) {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double holds, mechanism.Delta(honest, epsilon));
  if (holds <= delta) return honest;
  return absl::FailedPreconditionError(
      absl::StrCat("the noise of ", mechanism.name(), " is sized for ", honest,
                   " honest submissions, whose delta at epsilon ", RoundedUp(epsilon, 6), " is ",
                   RoundedUp(holds, 6), " and not at most ", RoundedDown(delta, 6),
                   "; more submissions do not mend that"));
}

}  // namespace tombola::mechanism
