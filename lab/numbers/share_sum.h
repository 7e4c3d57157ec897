// Sums of numbers in [-1, 1] by shares that add up to them: CESS, which is Balle, Bell, Gascon,
// Nissim, "Private summation in the multi-message shuffle model" (2020), on the protocol of Ishai,
// Kushilevitz, Ostrovsky, Sahai (2006). Lab only.
#ifndef TOMBOLA_LAB_NUMBERS_SHARE_SUM_H_
#define TOMBOLA_LAB_NUMBERS_SHARE_SUM_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "lab/shuffled/account.h"

namespace tombola::lab {

// The number is rounded to one of steps + 1 levels, so that its mean is kept. A device adds its
// share of discrete Laplace noise, which suffices for the whole sum, and splits what it has into
// `messages` uniform numbers that add up to it modulo `modulus`. The sum of all messages is all
// that can be read off them but for what the messages' number is chosen for.
struct ShareSum {
  int64_t users = 0;
  int64_t steps = 1;
  int64_t messages = 2;
  uint64_t modulus = 2;
  double noise_epsilon = 0;  // of a level

  std::vector<uint64_t> Shares(double number, simulation::Generator& random) const;
  // The mean of all numbers, from all messages.
  double Mean(absl::Span<const uint64_t> messages) const;
  // Of the mean, whose average rounding variance is given.
  double MeanVariance(double rounding) const;
};

// The messages with which views of two data sets with the same sum differ by at most 2^-security in
// total variation: 2 + (2 security + log2(modulus)) / (log2(users) - log2(e)), rounded up. users >=
// 19.
int64_t MessagesForSharing(double security, double modulus, double users);

// As published: sqrt(n) steps and a modulus of at least twice the largest sum. The noise has all of
// epsilon, the shares all of delta, (1 + e^epsilon) 2^-security. InvalidArgument below 19 devices.
absl::StatusOr<ShareSum> PlanShareSum(const Target& target);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_NUMBERS_SHARE_SUM_H_
