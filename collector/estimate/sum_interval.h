// How far a sum of shares of cells may be from the true one.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_SUM_INTERVAL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_SUM_INTERVAL_H_

#include "common/table/count_model.h"

namespace tombola::collector {

// The intervals of interval.h for sums of cells, each cell times a weight. The same terms: the
// normal quantile with the score's correction, skewness at its most and half a count; of a cell
// alone at least as wide as Interval says. Where the noise is a difference of negative
// binomial variables, its own quantile.
//
// Of such a sum with weights within `reach` of each other that is never too narrow: with K the
// logarithm of the moment generating function of one cell, an even power series with positive
// coefficients, K(w t) <= (w / reach)^2 K(reach t). So the sum's is at most that of `reach` times a
// difference whose shape is larger by the number of cells with the weight `reach` that would have
// the sum's variance. Tails of many cells are then nearly normal, and of few as heavy as of one.
// Of the others, whose tails are lighter than a normal law's or Poisson's: skewness falls with
// every further cell, so that a single cell's term is the largest.
//
// Immutable and thread-safe.
class SumInterval {
 public:
  // alpha in (0, 1): the probability, about, with which both sides together miss. The tally has a
  // submission, the model a Signal above 0.
  SumInterval(const mechanism::CountModel& model, const mechanism::Tally& tally, double alpha);

  // Half the width where the sum is off by this standard error; its weights, before least squares,
  // are within `reach` of each other. 0 for what has no error.
  double HalfWidth(double standard_error, double reach) const;

 private:
  mechanism::CountModel model_;
  double submissions_;
  double tail_;       // of one side
  double per_count_;  // by how much one count changes a cell's estimate
  double z_ = 0;      // the normal quantile
  double slope_ = 0;  // by how much a cell's variance changes with its frequency
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_SUM_INTERVAL_H_
