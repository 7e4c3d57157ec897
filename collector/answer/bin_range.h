// A range of numbers as bins, some of which it may cut.
#ifndef TOMBOLA_COLLECTOR_ANSWER_BIN_RANGE_H_
#define TOMBOLA_COLLECTOR_ANSWER_BIN_RANGE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/kind/bins.h"
#include "common/ranges/range_variance.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// From `first` to `last`, 0 <= first < last <= the number of bins: 2.25 is after a quarter of the
// third bin, which is bin 2.
struct BinRange {
  double first = 0;
  double last = 0;

  // An end that is an edge but for rounding is that edge. InvalidArgument naming its bounds: the
  // range is empty, or outside the edges.
  static absl::StatusOr<BinRange> Read(const Bins& bins, const v1::NumberRange& wire);
  static BinRange All(const Bins& bins) { return {0, static_cast<double>(bins.size())}; }

  // Of the bins in it, also where only in part.
  int64_t begin() const;
  int64_t end() const;

  // What is of a bin in it.
  struct Part {
    double low = 0, high = 0;  // numbers
    double share = 0;          // of the bin's width, in (0, 1]
    bool cut() const { return share < 1; }
  };
  Part PartOf(const Bins& bins, int64_t bin) const;  // begin() <= bin < end()
};

// What a bin that is cut counts as.
enum class Cut { kNothing, kItsShare, kWhole };

// So many leaves, weighing one in the range and nothing elsewhere, less `less`.
std::vector<WeightedRun> RunsOf(const BinRange& range, int64_t leaves, Cut cut, double less);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_BIN_RANGE_H_
