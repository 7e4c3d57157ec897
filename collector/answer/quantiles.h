// The numbers below which so large a share of what was counted is.
#ifndef TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_
#define TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "collector/answer/counted_numbers.h"
#include "common/kind/bins.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Whether these can be asked for at once. InvalidArgument: more than 1,000 of them, one that is not
// in [0, 1], or is there twice.
absl::Status CheckFractions(absl::Span<const double> fractions);

// An estimate of a distribution function at an edge between bins.
struct ShareBelow {
  double share = 0;
  double error = 0;       // its standard error
  double half_width = 0;  // of its interval
};

// An estimate of the distribution function may fall; its running maximum does not. The first bin at
// whose end that reaches the fraction has the quantile, which stands in the bin where a straight
// line between its ends reaches it. Not unbiased: no function of a distribution that bends it is.
//
// The interval comes by inversion: it has every number at which the distribution function's own
// interval has the fraction, and the whole of the bins at its ends. With the confidence's
// probability it has the true quantile, the smallest number that so large a share does not exceed,
// wherever in their bins numbers lie. The standard error comes in the same way, from one standard
// error of the distribution function and straight lines within bins: it is how far the farther end
// of that is from the quantile. In thin tails a slope would say too little, as the function may
// reach the fraction at several places.
//
// Immutable and thread-safe.
class Quantiles {
 public:
  // known: at every edge, 0 to bins, at the first and the last of which the share is exactly 0 and
  // 1. edge: where it is; kept. O(bins), and O(log) for each quantile.
  Quantiles(int64_t bins, absl::FunctionRef<ShareBelow(int64_t edge)> known,
            std::function<double(int64_t edge)> edge);

  // Of the devices with a number, the counted share of which must be above 0. `numbers` is not
  // kept, `bins` must outlive it. O(bins * levels * log).
  static Quantiles Of(const CountedNumbers& numbers, const Bins& bins);

  // fraction in [0, 1].
  v1::Estimate At(double fraction) const;

 private:
  // At every edge: the distribution function or an upper bound of it, at its largest up to there.
  using Rising = std::vector<double>;
  // A lower bound, at its least from there on.
  using Held = std::vector<double>;

  int64_t bins() const { return static_cast<int64_t>(most_.size()) - 1; }
  double InBin(int64_t edge, double part) const;
  double First(const Rising& function, double fraction) const;
  double Last(const Held& function, double fraction) const;
  double Low(double fraction) const;
  double High(double fraction) const;

  std::function<double(int64_t)> edge_;
  Rising most_, reached_, reached_by_error_;
  Held held_, held_by_error_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_QUANTILES_H_
