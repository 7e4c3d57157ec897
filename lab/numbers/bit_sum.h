// Sums of numbers in [-1, 1] by randomised bits that are shuffled all together: DDPS (Cheu, Smith,
// Ullman, Zeber, Zhilyaev 2019). Lab only.
#ifndef TOMBOLA_LAB_NUMBERS_BIT_SUM_H_
#define TOMBOLA_LAB_NUMBERS_BIT_SUM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/simulation/generator.h"
#include "lab/shuffled/account.h"

namespace tombola::lab {

// The number is rounded to one of bits + 1 levels, so that its mean is kept, and said in unary: as
// many ones as the level, then zeros. Each bit is replaced by a fair coin with probability `lie`.
// One bit is the binary sum, more are the real sum. What the collector learns is how many of all
// bits are ones.
struct BitSum {
  int64_t bits = 1;
  double lie = 0;

  // Unbiased for the number; how many of the device's bits are ones given.
  double Estimate(int64_t ones) const;
  // Of one device's estimate.
  double Variance(double number) const;
  // How many ones a device sends.
  int64_t Draw(double number, simulation::Generator& random) const;
};

// The `lie` of the paper's theorems: 64 ln(4 / delta) / epsilon^2 expected coins for one bit, or,
// if epsilon < sqrt(192 ln(4 / delta) / n), n - epsilon n^(3/2) / sqrt(432 ln(4 / delta)); for
// several, each is to have epsilon / sqrt(8 bits ln(2 / delta)) and delta / (2 bits). They are for
// epsilon below 1 and taken at 1 from there on. FailedPrecondition where they leave nothing but
// coins.
absl::StatusOr<BitSum> PublishedBitSum(int64_t bits, const Target& target);
// Of 1, 2, 4, ..., 64 bits those with the least variance at a number between two levels.
absl::StatusOr<BitSum> PublishedRealSum(const Target& target);

// What tells the number of ones of n devices apart at epsilon, where one device says -1 or 1 and
// `ones` of the others' bits, before lies, are ones, 0 <= ones <= (n - 1) bits: the larger of both
// orders. Exact but for the windows of binomial laws, which are charged.
absl::StatusOr<double> BitSumDelta(const BitSum& sum, int64_t users, double epsilon, int64_t ones);
// How much less others may hide a device than those whose bits are all alike do, in delta: more
// than in every small case, all numbers of ones tried. Not proven for many devices.
inline constexpr double kMixedBits = 1.2;
// The least `lie`, to 1e-4, whose BitSumDelta without ones of others, times kMixedBits, meets the
// target.
absl::StatusOr<BitSum> PlanBitSum(int64_t bits, const Target& target);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_NUMBERS_BIT_SUM_H_
