// Counts become unbiased estimates of frequencies, each with its error.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/estimate/interval.h"
#include "common/table/bloom_weights.h"
#include "common/table/count_model.h"
#include "common/table/table.h"

namespace tombola::collector {

// One entry for each value of the domain.
struct Estimates {
  std::vector<double> raw;              // unbiased; may lie below 0 or above 1
  std::vector<double> standard_errors;  // of raw
  // By how much the interval of a value is wider than IntervalAt says; empty: by nothing.
  std::vector<double> widening;
};

// One estimator for every table: what differs is in its CountModel. It stands in
// place of Eq. (19), which is biased for hashed reports and reverses their order when p < 1/2; see
// docs/errata.md.
//
// Where reports are bits (Table::bloom) the estimates are those of least squares on what bits the
// values set, which is unbiased: nothing is selected, and a table whose bits do not tell its values
// apart there is not (common/table/bloom_weights.h).
//
// Immutable and thread-safe. The errors are those of the mechanism's own randomness given the data:
// they do not cover devices that lie or that never reported.
class Estimator {
 public:
  explicit Estimator(const mechanism::Table& table);
  // Of so many values whose counts come about like that.
  Estimator(const mechanism::CountModel& model, int64_t values)
      : model_(model), domain_size_(values) {}

  // FailedPrecondition if there are no submissions ("no data") or the mechanism's reports say
  // nothing about the values; InvalidArgument if there is not one count for each value, or a number
  // of the tally is negative.
  absl::StatusOr<Estimates> Estimate(absl::Span<const int64_t> counts,
                                     const mechanism::Tally& tally) const;

  // The confidence intervals of single values, each centred on its raw estimate.
  // InvalidArgument unless confidence is in (0, 1); else as Estimate.
  absl::StatusOr<Interval> IntervalAt(const mechanism::Tally& tally, double confidence) const;

  // A bound on the largest error over the whole domain, raw against true, that fails with
  // probability at most `beta`, in (0, 1). Not an approximation: it holds for any data and any
  // number of submissions.
  absl::StatusOr<double> MaxError(const mechanism::Tally& tally, double beta) const;

  // Of each value an interval, all of which hold at once but with probability `beta`, in (0, 1);
  // they too hold for any data. Never wider than MaxError on either side.
  absl::StatusOr<Band> BandAt(const mechanism::Tally& tally, double beta) const;

  // What the raw estimate of a value that nobody holds exceeds with probability `alpha` in (0, 1)
  // at most, anywhere in the domain: below it an estimate could be noise alone.
  absl::StatusOr<double> NoiseThreshold(const mechanism::Tally& tally, double alpha) const;

  const mechanism::CountModel& model() const { return model_; }
  // Whether values share bits of reports, so that a count is of several values.
  bool shares_counts() const { return weights_.has_value(); }

 private:
  absl::Status CheckData(const mechanism::Tally& tally) const;

  // Of values that share bits.
  Estimates Unmix(absl::Span<const int64_t> counts, const mechanism::Tally& tally) const;

  mechanism::CountModel model_;
  int64_t domain_size_;
  std::optional<mechanism::BloomWeights> weights_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_ESTIMATOR_H_
