#include "lab/joins/shuffled_oracle.h"

#include <cmath>
#include <limits>

#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "lab/joins/one_tuple.h"

namespace tombola::lab {
namespace {

constexpr double kBucketGrowth = 1.5;

absl::StatusOr<double> LargestBudget(double range, const Target& target) {
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                           accounting::LargestKappa({.honest = target.honest, .range = range},
                                                    target.epsilon, target.delta));
  return std::log1p(kappa);
}

}  // namespace

// From two buckets on the variance falls, and rises again.
absl::StatusOr<ShuffledOracle> ShuffledHash(const Target& target) {
  ShuffledOracle best;
  double least = std::numeric_limits<double>::infinity();
  for (double buckets = 2;; buckets = std::ceil(buckets * kBucketGrowth)) {
    TOMBOLA_ASSIGN_OR_RETURN(const double budget, LargestBudget(buckets, target));
    const Oracle oracle = {.holder = Grr(buckets, budget).holder, .other = 1 / buckets};
    const double variance = RareVariance(oracle);
    if (variance >= least) return best;
    least = variance;
    best = {oracle, budget};
  }
}

absl::StatusOr<ShuffledOracle> ShuffledGrr(double items, const Target& target) {
  TOMBOLA_ASSIGN_OR_RETURN(const double budget, LargestBudget(items, target));
  return ShuffledOracle{Grr(items, budget), budget};
}

absl::StatusOr<Shuffling> Shuffling::Create(int64_t users, double epsilon, double delta) {
  Shuffling shuffling;
  TOMBOLA_ASSIGN_OR_RETURN(shuffling.target, Target::Create(users, epsilon, delta));
  TOMBOLA_ASSIGN_OR_RETURN(shuffling.hash, ShuffledHash(shuffling.target));
  return shuffling;
}

}  // namespace tombola::lab
