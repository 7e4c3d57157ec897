// The numbers below which so large a share of the devices' numbers is.
#ifndef TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_
#define TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/answer/counted_numbers.h"
#include "common/kind/bins.h"

namespace tombola::collector {

// Of the devices with a number. An estimate of the distribution function may fall; its running
// maximum does not. The first bin at whose end that reaches the fraction has the quantile, which
// stands in the bin where a straight line between its ends reaches it. Not unbiased: no function of
// a distribution that bends it is.
//
// The interval comes by inversion: it has every number at which the distribution function's own
// interval has the fraction, and the whole of the bins at its ends. With the confidence's
// probability it has the true quantile, the smallest number that so large a share does not exceed,
// wherever in their bins numbers lie. The standard error is half of how far the quantile moves
// between a standard error of the distribution function less and more.
//
// Valid while what it refers to is. Thread-safe.
class Quantiles {
 public:
  // The counted share of devices with a number must be above 0, and `numbers` is not kept.
  // O(bins * levels * log), and O(log) for each quantile.
  Quantiles(const CountedNumbers& numbers, const Bins& bins);

  struct Quantile {
    double value = 0, standard_error = 0, low = 0, high = 0;
  };
  // fraction in [0, 1].
  Quantile At(double fraction) const;

 private:
  double Inverse(double fraction) const;
  double Low(double fraction) const;
  double High(double fraction) const;

  const Bins& bins_;
  // At every edge: the standard error of the distribution function, its largest value up to there,
  // the largest upper end of its interval up to there, and the least lower end from there on.
  std::vector<double> errors_, most_, reached_, held_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_
