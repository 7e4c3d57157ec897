// How far counts that are added up over several batches may be from the true ones.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_BATCH_SUM_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_BATCH_SUM_H_

#include <cstdint>

#include "common/table/count_model.h"

namespace tombola::collector {

// How many submissions of a batch hold a value: the unbiased estimate, from its count.
double EstimatedHolders(const mechanism::CountModel& model, const mechanism::Tally& tally,
                        double count);
// By how much the variance of that grows with each that holds it; 0 where noise does not depend on
// what devices hold.
double VariancePerHolder(const mechanism::CountModel& model, const mechanism::Tally& tally);

// What the errors of independent batches add up to, each with noise of its own, when the estimated
// holders of a value are added or subtracted; which of both changes nothing. A value; what it says
// is as of Interval (interval.h), in holders instead of shares.
//
// Variances add up. Where the noise is a difference of negative binomial variables, batch j of
// shape r_j and S_j = sinh^2(a_j / 2), the logarithm of the moment generating function of the sum
// is the sum of r_j times the power series of -ln(1 - S / S_j) in S = sinh^2(t / 2), of positive
// coefficients. With S_0 the least of the S_j, (S / S_j)^m <= (S_0 / S_j) (S / S_0)^m for m >= 1:
// it is at most that of one difference that has S_0 and the sum's variance, of which the quantile
// and Chernoff's bound are then taken.
//
// Of other noise, and of randomised response, skewness and half a count are at most those of the
// batch whose counts weigh most.
class BatchSum {
 public:
  // tally.submissions >= 1 and the model's Signal > 0. Either all batches have noise that is such a
  // difference, or none.
  void Add(const mechanism::CountModel& model, const mechanism::Tally& tally);

  // No batch: no error.
  bool empty() const { return !(per_count_ > 0); }
  // Of a value; `sloped`: the batches' estimated holders, each times VariancePerHolder, summed.
  double Variance(double sloped) const;
  // Half the width of the interval that misses with probability about alpha, in (0, 1).
  double HalfWidth(double variance, double alpha) const;
  // What the estimate of a value that nobody holds exceeds with probability about `tail` in
  // [1e-300, 1/2).
  double UpperQuantileAtZero(double tail) const;
  // No estimate of the domain is off by more, but with probability beta in (0, 1).
  double MaxError(int64_t domain_size, double beta) const;

  // Of batches whose reports say for certain what devices hold: how a count comes about that is
  // theirs added or subtracted, as if one batch of so many submissions, >= 1, had it. `background`:
  // what it is on average for a value that nobody holds. Errors by it are those of this.
  mechanism::CountModel AsOneBatch(int64_t submissions, double background) const;

 private:
  double Quantile(double variance, double slope, double tail) const;

  double fixed_ = 0;  // the variance of a value that nobody holds
  double least_ = 0;  // and of any
  double most_ = 0;
  double slope_ = 0;      // the largest |VariancePerHolder|
  double per_count_ = 0;  // the largest: by how much one count changes the holders
  double success_ = 0;    // the largest, of differences
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_BATCH_SUM_H_
