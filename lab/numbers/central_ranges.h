// Ranges over bins by somebody trusted who sees every number. Lab only. Neighbours differ in the
// number of one device, which is in another bin then.
#ifndef TOMBOLA_LAB_NUMBERS_CENTRAL_RANGES_H_
#define TOMBOLA_LAB_NUMBERS_CENTRAL_RANGES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"

namespace tombola::lab {

// Boost (Hay et al. 2010): Laplace noise on the nodes of a tree, and least squares. The total is
// known.
class BoostRanges {
 public:
  // bins >= 2, branching >= 2, epsilon > 0.
  BoostRanges(int64_t bins, int64_t branching, double epsilon);
  // The root of the mean variance over all ranges.
  double Deviation() const;

 private:
  int64_t bins_, branching_;
  double epsilon_;
};

// Privelet (Xiao et al. 2011): Laplace noise on the Haar wavelet's coefficients, each by its
// weight.
class Privelet {
 public:
  // `bins` a power of two, at least 2; epsilon > 0.
  Privelet(int64_t bins, double epsilon);

  int64_t bins() const { return bins_; }
  // The mean, then by level from the top half the difference of the two halves' means.
  std::vector<double> Coefficients(absl::Span<const double> counts) const;
  std::vector<double> Counts(absl::Span<const double> coefficients) const;
  // Of the noise on a coefficient.
  double ScaleOf(size_t coefficient) const;
  std::vector<double> Draw(absl::Span<const double> counts, simulation::Generator& noise) const;
  // Of the number of devices in bins [begin, end).
  double RangeVariance(int64_t begin, int64_t end) const;
  // The root of its mean over all ranges.
  double Deviation() const;

 private:
  int64_t bins_;
  int64_t levels_;
  double lambda_;
};

// NoiseFirst (Xu et al. 2013): Laplace noise on every bin, then runs of bins take their means where
// that seems to lessen the error: the partition with the least sum of squares + 2 noise variances a
// run. O(bins^2).
std::vector<double> NoiseFirst(absl::Span<const double> counts, double epsilon,
                               simulation::Generator& noise);
// Its second step, for noise of this variance.
std::vector<double> MergeRuns(absl::Span<const double> noisy, double variance);

// Root mean squared error over all ranges of an estimate of all bins.
double RangeError(absl::Span<const double> counts, absl::Span<const double> estimate);
// The same of independent noise of this variance on every bin.
double FlatDeviation(int64_t bins, double variance);
// Of counts of a tree's nodes with this variance each and least squares, the total known.
double TreeDeviation(int64_t bins, int64_t branching, double variance);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_NUMBERS_CENTRAL_RANGES_H_
