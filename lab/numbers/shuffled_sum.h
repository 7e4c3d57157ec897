// Sums of numbers in [-1, 1] by one shuffled message a device. Lab only.
#ifndef TOMBOLA_LAB_NUMBERS_SHUFFLED_SUM_H_
#define TOMBOLA_LAB_NUMBERS_SHUFFLED_SUM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/simulation/generator.h"
#include "lab/shuffled/account.h"

namespace tombola::lab {

// The number is rounded to one of `steps` + 1 levels, so that its mean is kept, and with
// probability gamma a uniform level is said instead: the real sum of Balle et al. 2019.
struct LevelSum {
  int64_t steps = 1;
  double gamma = 0;

  // Unbiased for the number; the report's level given.
  double Estimate(int64_t level) const;
  // Of one device's estimate.
  double Variance(double number) const;
  int64_t Draw(double number, simulation::Generator& random) const;
};

// The least gamma that meets the target by the exact privacy blanket. steps >= 1.
absl::StatusOr<LevelSum> PlanLevelSum(int64_t steps, const Target& target);
// Of 1, 2, 4, ... steps the one with the least variance at 0.
absl::StatusOr<LevelSum> PlanRealSum(const Target& target);

// What rounding to so many steps adds to the variance of a number in [-1, 1].
double RoundingVariance(double number, int64_t steps);

// Tombola's: dithered levels, every device a message in the cell of its level among Poisson noise
// on every cell. Of the mean of n devices' numbers, whose average rounding variance is given.
struct DitheredLevels {
  int64_t steps = 1;
  double mean = 0;  // of the noise on a cell

  // Of the mean of all numbers, whose average rounding variance is given.
  double MeanVariance(double users, double rounding) const;
  double Messages(double users) const { return 1 + static_cast<double>(steps + 1) * mean / users; }
};
// Of 1, 2, 4, ..., 64 steps those with the least variance if numbers lie anywhere between two
// levels. Errors as accounting::SmallestPoissonMean.
absl::StatusOr<DitheredLevels> PlanDitheredLevels(double users, double epsilon, double delta);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_NUMBERS_SHUFFLED_SUM_H_
