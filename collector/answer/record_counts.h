// What the counts of one view of records say: how many there are of a kind, and what a measure of
// theirs adds up to.
#ifndef TOMBOLA_COLLECTOR_ANSWER_RECORD_COUNTS_H_
#define TOMBOLA_COLLECTOR_ANSWER_RECORD_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "collector/estimate/half_widths.h"
#include "collector/estimate/sum_interval.h"
#include "common/kind/levels.h"
#include "common/kind/records.h"
#include "common/ranges/range_variance.h"
#include "common/table/count_model.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// The noise of one cell's count, and how wide intervals are. Not thread-safe.
class CellNoise {
 public:
  // alpha in (0, 1). The tally has a submission.
  CellNoise(const mechanism::CountModel& model, const mechanism::Tally& tally, double alpha);
  CellNoise(const CellNoise&) = delete;
  CellNoise& operator=(const CellNoise&) = delete;

  // Of one cell's count.
  double variance() const { return variance_; }
  // Of a sum of cells, the largest weight of one being `reach`.
  double HalfWidth(double variance_of_sum, double reach) const;
  v1::Estimate Around(double value, double variance_of_sum, double reach) const;

 private:
  double submissions_;
  double variance_;
  SumInterval interval_;
  mutable HalfWidths half_widths_;
};

// Sums of leaves, each with a weight: those of one cell of an answer.
struct RecordSum {
  double count = 0;
  double moved = 0;    // of the measure, less the middle of its range
  double partial = 0;  // records in leaves that were cut
  // Of the variance of one node's count, and of what is moved.
  double count_factor = 0;
  double moved_factor = 0;
};

// Unbiased, but for what is taken of leaves in part. Of a view with a measure each node has as many
// cells as the measure has levels, g of them. Their sum is the node's count; the sum of (g -
// middle) times cell, whose noise has nothing in common with the former's, is what the measure
// adds. Both are made to agree over the tree by least squares: counts with the known number of
// records that all devices say, with those that there are not; what is moved without one.
// Immutable.
class RecordCounts {
 public:
  // counts: those of the whole table.
  RecordCounts(const RecordCells& cells, const RecordsView& view, absl::Span<const int64_t> counts,
               const mechanism::CountModel& model, const mechanism::Tally& tally);

  // For each value of the view's attributes at the places `by`, the last one running fastest, or
  // one sum of all: of the leaves, each weighed by the product of its values' weights.
  std::vector<RecordSum> Sums(const std::vector<std::vector<double>>& weights,
                              const std::vector<size_t>& by) const;

  // Where the one place `by` is a number's and the whole is above 0: the sums up to each of its
  // values. `count` is set, and `count_factor`, which is that of the sum less its share of the
  // whole.
  std::vector<RecordSum> Below(const std::vector<std::vector<double>>& weights, size_t by) const;

  // How many records the view says there are.
  RecordSum All() const;

 private:
  struct Known {
    double known = 0, unknown = 0;
  };
  // Of leaves of a flat view whose weights have this sum and sum of squares.
  Known FlatFactors(double sum, double squares) const;
  Known TreeFactors(absl::Span<const WeightedRun> runs) const;
  bool flat() const { return view_.tree.levels() == 1; }

  const RecordsView& view_;
  RangeVariance factors_;  // of nodes with a variance of one
  std::vector<double> counts_;
  std::vector<double> moved_;  // empty without a measure
};

// Whether a count is above three standard errors: only then are there averages and quantiles.
bool StandsOut(const v1::Estimate& count);

// Sums become estimates. With a measure its levels, else null.
struct RecordEstimates {
  v1::Estimate count;
  std::optional<v1::Estimate> sum, average;
};
RecordEstimates EstimatesOf(const RecordSum& sum, const CellNoise& noise, int64_t levels_of_view,
                            const Levels* measure);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_RECORD_COUNTS_H_
