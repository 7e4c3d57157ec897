// How the count of one value comes about, and the error of the estimate that follows from it. One
// formula, one function: planner, estimator, simulation and tests share these.
#ifndef TOMBOLA_COMMON_TABLE_COUNT_MODEL_H_
#define TOMBOLA_COMMON_TABLE_COUNT_MODEL_H_

#include <cstdint>

#include "common/table/support.h"

namespace tombola::mechanism {

// What was counted.
struct Tally {
  int64_t submissions = 0;
  int64_t fakes = 0;  // the shuffler's reports among them, in all batches together
};

// The count of value v is the sum, all independent, of
//   - one Bernoulli variable for each submission: what it says of its own supports v,
//   - noise from each submission, alike for every value and whatever the device holds,
//   - one Bernoulli variable for each fake.
struct CountModel {
  enum class Noise {
    kNone,
    kPoisson,     // independent for the values, but for a cap on messages
    kCoins,       // `coins` a submission and value, of probability noise_mean / coins each
    kDifference,  // of two negative binomial variables; its tails are heavier than a normal law's
  };

  Support support;
  Noise noise = Noise::kNone;
  // Of one submission's noise on one value.
  double noise_mean = 0;
  double noise_variance = 0;
  double noise_third = 0;  // third central moment
  int64_t coins = 1;       // of kCoins
  // Above 0 for kDifference: the shape and the success probability of the two variables.
  double difference_shape = 0;
  double difference_success = 0;
  // The probability that a fake supports a given value.
  double fake_support = 0;
};

// Cells whose counts come about alike, up to `end`; they begin where those before end.
struct ModelledCells {
  int64_t end = 0;
  CountModel model;
};

// The count of so many cells together, of which a holder fills one: no report names two of them.
CountModel Joined(const CountModel& model, int64_t cells);

// The count's mean for a value that nobody holds, and the count that each holder adds on average.
double Background(const CountModel& model, const Tally& tally);
inline double Signal(const CountModel& model) { return model.support.separation; }

// The unbiased estimate of the value's frequency, (count - Background) / (submissions Signal);
// submissions >= 1, Signal > 0.
double Estimate(const CountModel& model, const Tally& tally, double count);

// The variance of that estimate for a value of this frequency, exact given the data.
double EstimateVariance(const CountModel& model, const Tally& tally, double frequency);

// The same averaged over a domain whose frequencies sum to one; EstimateVariance is linear in the
// frequency.
double AverageSquaredError(const CountModel& model, int64_t domain_size, const Tally& tally);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_COUNT_MODEL_H_
