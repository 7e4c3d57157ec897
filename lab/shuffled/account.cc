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
constexpr double kRangeGrowth = 1.25;
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

// With t = range s buckets the variance of a rare thing is s times
// range (kappa + range)^2 / ((range - 1)^2 kappa^2), but for terms of size 1/s.
absl::StatusOr<double> BestCollisionRange(const Target& target) {
  double best = 0, least = std::numeric_limits<double>::infinity();
  // The accountant needs a range of 2. From there the variance falls, and rises again.
  for (double range = 2;; range *= kRangeGrowth) {
    TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                             accounting::LargestKappa({.honest = target.honest, .range = range},
                                                      target.epsilon, target.delta));
    const double variance = range * std::pow((kappa + range) / ((range - 1) * kappa), 2);
    if (variance < least) {
      least = variance;
      best = range;
    } else if (variance > kEnough * least) {
      return best;
    }
  }
}

absl::StatusOr<CollisionLaw> ShuffledCollision(int64_t items, double range, const Target& target) {
  CollisionLaw law = {
      .items = items,
      .buckets = static_cast<int64_t>(std::ceil(range * static_cast<double>(items)))};
  const double rounded = static_cast<double>(law.buckets) / static_cast<double>(items);
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                           accounting::LargestKappa({.honest = target.honest, .range = rounded},
                                                    target.epsilon, target.delta));
  law.epsilon = std::log1p(kappa);
  return law;
}

}  // namespace tombola::lab
