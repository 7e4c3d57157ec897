// How far an estimated frequency may be from the true one.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_

#include <cstdint>

#include "common/table/count_model.h"

namespace tombola::collector {

// Everywhere tally.submissions >= 1, tally.fakes >= 0 and the model's Signal > 0. Where the noise
// is a difference of negative binomial variables (difference_shape > 0), a report must support its
// device's value and no other with certainty, as it does for the only mechanism with such noise.

// Intervals, centred on the raw estimate, that miss the true frequency with probability about
// `alpha` in (0, 1): the score interval, which allows for a variance A + B f that changes with the
// frequency, taken on its wider side; with the Cornish-Fisher term for skewness and half a count
// for continuity. Where the noise is a difference of negative binomial variables its own quantile
// (difference_tail.h) stands in place of the normal one. An approximation that errs on the wide
// side, the more so where few reports support the value.
//
// The quantile is found once, for all values of a domain. Immutable and thread-safe.
class Interval {
 public:
  Interval(const mechanism::CountModel& model, const mechanism::Tally& tally, double alpha);

  // Half the width for this raw estimate.
  double HalfWidth(double raw) const;

 private:
  mechanism::CountModel model_;
  mechanism::Tally tally_;
  double per_count_;  // by how much one count changes the estimate
  double z_ = 0;      // the normal quantile
  double slope_ = 0;  // |B|
  double fixed_ = 0;  // the half width, where it is the same for every estimate
};

// The intervals of all values of a domain at once: with probability at least 1 - `beta` every true
// frequency is in its own. Not an approximation. By Bernstein's inequality
//   |raw - f| <= sqrt(2 L V(f)) + 2 L / (3 n (p - s)),  L = ln(2 d / beta),
// solved for f with the variance V(f) = A + B f of that frequency, so that an interval is at most
// as wide as BernsteinMaxError allows and narrower where the variance is. Where the noise is a
// difference of negative binomial variables: DifferenceMaxError. Frequencies are in [0, 1], so that
// intervals are.
//
// Immutable and thread-safe.
class Band {
 public:
  // domain_size >= 1, beta in (0, 1).
  Band(const mechanism::CountModel& model, const mechanism::Tally& tally, int64_t domain_size,
       double beta);

  double Low(double raw) const;
  double High(double raw) const;

 private:
  double Reach(double nearest, double slope) const;

  mechanism::CountModel model_;
  mechanism::Tally tally_;
  double fixed_ = 0;     // what does not depend on the frequency
  double log_term_ = 0;  // L; 0 if nothing does
  double slope_ = 0;     // B
};

// What the raw estimate of a value that nobody holds exceeds with probability about `tail` in
// [1e-300, 1/2): the same terms at frequency 0, one-sided.
double UpperQuantileAtZero(const mechanism::CountModel& model, const mechanism::Tally& tally,
                           double tail);

// With probability at least 1 - beta no estimate of the domain is further than this from the truth.
// The former is for noise that is binomial or Poisson: sqrt(2 V L) + 2 L / (3 n (p - s)) with
// L = ln(2 d / beta) and V the largest variance of any frequency (Bernstein's inequality, which a
// Poisson variable obeys as the limit of sums of rare ones, and a union bound). It replaces Theorem
// 5, see docs/errata.md. The latter is for a difference of negative binomial variables: Chernoff's
// bound at L.
double BernsteinMaxError(const mechanism::CountModel& model, const mechanism::Tally& tally,
                         int64_t domain_size, double beta);
double DifferenceMaxError(const mechanism::CountModel& model, const mechanism::Tally& tally,
                          int64_t domain_size, double beta);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_INTERVAL_H_
