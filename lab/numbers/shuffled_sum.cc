#include "lab/numbers/shuffled_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/simulation/distributions.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::lab {
namespace {

constexpr int64_t kMostSteps = 64;

// Where a number lies among the levels 0 .. steps.
double PlaceAmong(double number, int64_t steps) {
  return (number + 1) / 2 * static_cast<double>(steps);
}

}  // namespace

double RoundingVariance(double number, int64_t steps) {
  const double place = PlaceAmong(number, steps), part = place - std::floor(place);
  return part * (1 - part) * std::pow(2 / static_cast<double>(steps), 2);
}

double LevelSum::Estimate(int64_t level) const {
  const double middle = static_cast<double>(steps) / 2;
  return (static_cast<double>(level) - middle) / (middle * (1 - gamma));
}

// The second moment of a uniform level around the middle is steps (steps + 2) / 12.
double LevelSum::Variance(double number) const {
  const double count = static_cast<double>(steps);
  const double uniform = count * (count + 2) / 12 * 4 / (count * count);
  const double second =
      (1 - gamma) * (number * number + RoundingVariance(number, steps)) + gamma * uniform;
  return second / ((1 - gamma) * (1 - gamma)) - number * number;
}

int64_t LevelSum::Draw(double number, simulation::Generator& random) const {
  if (simulation::Uniform(random) < gamma) {
    return static_cast<int64_t>(UniformBelow(static_cast<uint64_t>(steps) + 1, random));
  }
  const double place = PlaceAmong(number, steps), below = std::floor(place);
  const bool up = simulation::Uniform(random) < place - below;
  return static_cast<int64_t>(below) + (up ? 1 : 0);
}

absl::StatusOr<LevelSum> PlanLevelSum(int64_t steps, const Target& target) {
  const double range = static_cast<double>(steps + 1);
  TOMBOLA_ASSIGN_OR_RETURN(const double kappa,
                           accounting::LargestKappa({.honest = target.honest, .range = range},
                                                    target.epsilon, target.delta));
  return LevelSum{steps, accounting::GammaOf(range, kappa)};
}

absl::StatusOr<LevelSum> PlanRealSum(const Target& target) {
  LevelSum best;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t steps = 1; steps <= kMostSteps; steps *= 2) {
    TOMBOLA_ASSIGN_OR_RETURN(const LevelSum sum, PlanLevelSum(steps, target));
    // Between two levels, where rounding costs most.
    const double variance = sum.Variance(steps == 1 ? 0 : 1.0 / static_cast<double>(steps));
    if (variance >= least) continue;
    least = variance;
    best = sum;
  }
  return best;
}

// The squares of levels from -1 to 1 in equal steps sum to (steps + 1)(steps + 2) / (3 steps).
double DitheredLevels::MeanVariance(double users, double rounding) const {
  const double count = static_cast<double>(steps);
  return (mean * (count + 1) * (count + 2) / (3 * count) / users + rounding) / users;
}

absl::StatusOr<DitheredLevels> PlanDitheredLevels(double users, double epsilon, double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const double mean, accounting::SmallestPoissonMean(epsilon, delta));
  DitheredLevels best;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t steps = 1; steps <= kMostSteps; steps *= 2) {
    const DitheredLevels levels = {steps, mean};
    // Numbers lie anywhere between two levels: a sixth of the square of a step.
    const double variance =
        levels.MeanVariance(users, std::pow(2 / static_cast<double>(steps), 2) / 6);
    if (variance >= least) continue;
    least = variance;
    best = levels;
  }
  return best;
}

}  // namespace tombola::lab
