// The expected excess E[(X - x)_+] of a binomial X over a threshold x, along a descending walk.
#ifndef TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_EXCESS_H_
#define TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_EXCESS_H_

#include <cstdint>

#include "common/accounting/binomial.h"

namespace tombola::accounting {

// Values for a sequence of queries with more and more trials and lower and lower thresholds cost a
// few additions each, because the tail sums that they need then only grow: every update adds
// positive terms, so nothing cancels, in the far tail either. Any other query is answered too, from
// a fresh sum of O(standard deviation) terms.
// Not thread-safe: a query changes the state. Values below about 1e-250 may come back as 0.
class BinomialExcess {
 public:
  // `failure` = 1 - `success`; success in (0, 1].
  BinomialExcess(double success, double failure) : law_{0, success, failure} {}

  // E[(X - threshold)_+] for X ~ Bin(trials, success). threshold >= 0.
  double At(int64_t trials, double threshold) { return At(trials, /*part=*/0, threshold); }
  // The same for X and one more trial, of success probability part * success; part in [0, 1).
  double At(int64_t trials, double part, double threshold);

 private:
  double PmfBelowPoint() const;
  bool WalkTo(int64_t trials, int64_t point);
  void Restart(int64_t trials, int64_t point);
  void RestartFromAbove();
  void RestartFromBelow();
  void AddTrial();
  void LowerPoint();
  void CountStep();

  Binomial law_;
  int64_t point_ = 0;  // the smallest integer above the threshold
  double pmf_ = 0;     // Pr[X = point_]
  double tail_ = 0;    // Pr[X >= point_]
  double excess_ = 0;  // E[(X - point_)_+]
  int64_t reach_ = 0;  // steps that are cheaper than a restart
  int steps_ = 0;      // since pmf_ was computed afresh
  bool walking_ = false;
};

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_EXCESS_H_
