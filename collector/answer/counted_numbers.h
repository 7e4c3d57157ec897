// What the counts of a tree over bins say: shares of devices, and how far off sums of them are.
#ifndef TOMBOLA_COLLECTOR_ANSWER_COUNTED_NUMBERS_H_
#define TOMBOLA_COLLECTOR_ANSWER_COUNTED_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/estimate/sum_interval.h"
#include "common/kind/number.h"
#include "common/ranges/range_variance.h"
#include "common/ranges/sum_variance.h"
#include "common/table/count_model.h"

namespace tombola::collector {

// Shares of all devices by least squares, which add up to one: unbiased, and so is every sum of
// them with fixed weights.
//
// Its variance is that of the mechanism's randomness given the data. A cell's count varies by the
// noise, which is alike for all cells of a level, and by what its holders' own reports say at
// random. The two are independent for mechanisms that send all that a device holds as it is, and
// the variance is exact. Randomised responses of a device exclude each other: taken together,
// uniform responses vary by no more than as many Poisson variables, which stand for them, and a
// response in place of the true cell by the holder's share of t (1 - t), t being the chance of the
// truth. Flat, that is exact again; over a tree it is but for narrower nodes at its end. Where a
// device says `sent` of `held` levels the choice adds ChoiceVariance (common/kind/number.h). How
// many hold a cell is taken from the estimates.
//
// Immutable and thread-safe.
class CountedNumbers {
 public:
  // The status is that of Estimator::Estimate. confidence in (0, 1).
  static absl::StatusOr<CountedNumbers> Read(const NumberKind& kind,
                                             absl::Span<const int64_t> counts,
                                             const mechanism::Tally& tally, double confidence);

  int64_t bins() const { return static_cast<int64_t>(below_.size()) - 1; }
  double devices() const { return devices_; }
  // Of a bin.
  double Share(int64_t bin) const { return shares_[static_cast<size_t>(bin)]; }
  // Of all bins below an edge, 0 to bins().
  double Below(int64_t edge) const { return below_[static_cast<size_t>(edge)]; }
  // Of the devices that have a number: all, without an error, unless one may be missing.
  bool missing() const { return missing_; }
  double WithNumber() const { return missing_ ? 1 - shares_.back() : 1; }

  struct Error {
    double standard = 0;
    double half_width = 0;  // of the interval
  };
  // Of the sum of weight times share; `apart` is the weight of the devices without a number.
  Error ErrorOf(absl::Span<const WeightedRun> runs, double apart = 0) const;
  // The same of a weight for each bin, with a variance that is added.
  Error ErrorOfEach(absl::Span<const double> weights, double added) const;

  const SumInterval& interval() const { return interval_; }

 private:
  // Of what all sums are off by.
  struct Choice {
    double variance = 0;  // ChoiceVariance
    double least = 0;     // which part of a variance is noise, at least
  };

  CountedNumbers(bool missing, double devices, std::vector<double> shares, SumVariance variance,
                 const Choice& choice, const SumInterval& interval);

  // Of a sum that varies by `separate` if a device's levels were chosen each by itself, and whose
  // weights have this mean and mean square over devices.
  double VarianceOf(double separate, double mean, double square) const;

  bool missing_;
  double devices_;
  std::vector<double> shares_;  // of the bins; behind them of those without a number
  std::vector<double> below_;
  SumVariance variance_;
  Choice choice_;
  SumInterval interval_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_COUNTED_NUMBERS_H_
