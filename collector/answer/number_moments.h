// How many devices have a number in a range, and the mean and the sum of those numbers.
#ifndef TOMBOLA_COLLECTOR_ANSWER_NUMBER_MOMENTS_H_
#define TOMBOLA_COLLECTOR_ANSWER_NUMBER_MOMENTS_H_

#include "collector/answer/bin_range.h"
#include "collector/answer/counted_numbers.h"
#include "common/kind/number.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Standard errors of a count which it must exceed to be divided by.
inline constexpr double kSignificant = 3;

// Of a range, which is all of the bins where numbers are dithered. Valid while what it refers to
// is.
class NumberMoments {
 public:
  NumberMoments(const CountedNumbers& numbers, const NumberCells& cells, const BinRange& range);

  // Of the devices whose number is in the range: the share of all devices, and of those with a
  // number; the latter only where Significant(all bins).
  v1::Estimate ShareOfDevices() const { return Share(range_, /*of_all=*/true); }
  v1::Estimate ShareOfNumbers() const { return Share(range_, /*of_all=*/false); }
  // The latter of any range.
  v1::Estimate ShareOfNumbers(const BinRange& range) const {
    return Share(range, /*of_all=*/false);
  }

  // That there are so many devices that it makes sense to divide by them.
  static bool Significant(const v1::Estimate& count) {
    return count.value() > kSignificant * count.standard_error();
  }

  // Sets mean, sum and spread; ShareOfDevices() must be Significant.
  void Fill(v1::Distribution* body) const;
  // How many devices are in the bins that the range cuts.
  double Partial() const;

 private:
  v1::Estimate Share(const BinRange& range, bool of_all) const;

  const CountedNumbers& numbers_;
  const NumberCells& cells_;
  BinRange range_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_NUMBER_MOMENTS_H_
