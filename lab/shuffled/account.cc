#include "lab/shuffled/account.h"

#include <cmath>
#include <limits>

#include "common/accounting/blanket.h"
#include "common/accounting/clones.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::lab {
namespace {

constexpr double kTolerance = 1e-3;
constexpr double kBucketGrowth = 1.25;
constexpr double kEnough = 1.1;

// Of the numbers from `low`, which is one, up to kLargestNominal the largest that meets, to
// kTolerance.
absl::StatusOr<double> Largest(double low,
                               const std::function<absl::StatusOr<bool>(double)>& meets) {
  double high = kLargestNominal;
  while (high > low * (1 + kTolerance)) {
    const double middle = std::sqrt(low * high);
    TOMBOLA_ASSIGN_OR_RETURN(const bool met, meets(middle));
    (met ? low : high) = middle;
  }
  return low;
}

}  // namespace

absl::StatusOr<Target> Target::Create(int64_t honest, double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  Target target = {.honest = honest, .epsilon = epsilon, .delta = delta};
  TOMBOLA_ASSIGN_OR_RETURN(
      target.any_randomiser, Largest(epsilon, [&](double local) -> absl::StatusOr<bool> {
        TOMBOLA_ASSIGN_OR_RETURN(const double found,
                                 accounting::ClonesDelta(honest, local, epsilon));
        return found <= delta;
      }));
  return target;
}

// The blanket accountant needs a range of at least 2.
absl::StatusOr<double> LargestNominal(const std::function<LocalLaw(double)>& law_at,
                                      const Target& target) {
  double low = target.epsilon;
  // LRR_KV's own epsilon need not be what it leaves of a record.
  while (law_at(low).epsilon > target.any_randomiser) low /= 2;
  return Largest(low, [&](double nominal) -> absl::StatusOr<bool> {
    const LocalLaw law = law_at(nominal);
    if (law.epsilon <= target.any_randomiser) return true;
    if (law.range < 2) return false;
    TOMBOLA_ASSIGN_OR_RETURN(
        const double found,
        accounting::DeltaOrEnough({.honest = target.honest, .range = law.range, .gamma = law.gamma},
                                  target.epsilon, target.delta));
    return found <= target.delta;
  });
}

absl::StatusOr<CollisionLaw> BestShuffledCollision(int64_t items, const Target& target) {
  CollisionLaw best;
  double least = std::numeric_limits<double>::infinity();
  // The accountant needs a range of 2. From there the variance falls, and rises again.
  for (double buckets = 2 * static_cast<double>(items);; buckets *= kBucketGrowth) {
    CollisionLaw law = {.items = items, .buckets = static_cast<int64_t>(std::ceil(buckets))};
    const double range = static_cast<double>(law.buckets) / static_cast<double>(items);
    TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                             accounting::LargestKappa({.honest = target.honest, .range = range},
                                                      target.epsilon, target.delta));
    law.epsilon = std::log1p(kappa);
    if (law.RareVariance() < least) {
      least = law.RareVariance();
      best = law;
    } else if (law.RareVariance() > kEnough * least) {
      return best;
    }
  }
}

}  // namespace tombola::lab
