#include "lab/numbers/central_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/simulation/distributions.h"
#include "common/ranges/range_tree.h"
#include "common/ranges/range_variance.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

double AllRanges(int64_t bins) {
  return static_cast<double>(bins) * static_cast<double>(bins + 1) / 2;
}

template <typename Variance>
double RootMeanOverRanges(int64_t bins, const Variance& variance) {
  double sum = 0;
  for (int64_t begin = 0; begin < bins; ++begin) {
    for (int64_t end = begin + 1; end <= bins; ++end) sum += variance(begin, end);
  }
  return std::sqrt(sum / AllRanges(bins));
}

int64_t OverlapOf(int64_t begin, int64_t end, int64_t from, int64_t to) {
  return std::max<int64_t>(0, std::min(end, to) - std::max(begin, from));
}

double LaplaceVarianceOf(double scale) { return 2 * scale * scale; }

}  // namespace

BoostRanges::BoostRanges(int64_t bins, int64_t branching, double epsilon)
    : bins_(bins), branching_(branching), epsilon_(epsilon) {}

// A number in another bin changes two nodes of every level.
double BoostRanges::Deviation() const {
  const double levels = static_cast<double>(RangeTree(bins_, branching_, false).levels());
  return TreeDeviation(bins_, branching_, LaplaceVarianceOf(2 * levels / epsilon_));
}

Privelet::Privelet(int64_t bins, double epsilon)
    : bins_(bins), levels_(std::llround(std::log2(static_cast<double>(bins)))) {
  // One count that is one more changes each of its 1 + log2(bins) coefficients by the inverse of
  // its weight; two counts differ.
  lambda_ = 2 * static_cast<double>(1 + levels_) / epsilon;
}

// Coefficient 2^i + j is node j of the level of nodes with bins / 2^i bins; 0 is the mean.
std::vector<double> Privelet::Coefficients(absl::Span<const double> counts) const {
  std::vector<double> coefficients(bins_, 0), means(counts.begin(), counts.end());
  for (int64_t nodes = bins_ / 2; nodes >= 1; nodes /= 2) {
    for (int64_t j = 0; j < nodes; ++j) {
      const double left = means[2 * j], right = means[2 * j + 1];
      coefficients[nodes + j] = (left - right) / 2;
      means[j] = (left + right) / 2;
    }
  }
  coefficients[0] = means[0];
  return coefficients;
}

std::vector<double> Privelet::Counts(absl::Span<const double> coefficients) const {
  std::vector<double> counts(bins_, coefficients[0]);
  for (int64_t nodes = 1; nodes < bins_; nodes *= 2) {
    const int64_t width = bins_ / nodes;
    for (int64_t bin = 0; bin < bins_; ++bin) {
      const double sign = bin % width < width / 2 ? 1 : -1;
      counts[bin] += sign * coefficients[nodes + bin / width];
    }
  }
  return counts;
}

double Privelet::ScaleOf(size_t coefficient) const {
  int64_t nodes = 1;
  while (nodes * 2 <= static_cast<int64_t>(coefficient)) nodes *= 2;
  return lambda_ / static_cast<double>(coefficient == 0 ? bins_ : bins_ / nodes);
}

std::vector<double> Privelet::Draw(absl::Span<const double> counts, Generator& noise) const {
  std::vector<double> coefficients = Coefficients(counts);
  for (size_t i = 0; i < coefficients.size(); ++i) {
    coefficients[i] += simulation::Laplace(ScaleOf(i), noise);
  }
  return Counts(coefficients);
}

// Only nodes that a range cuts have halves of which it holds different parts.
double Privelet::RangeVariance(int64_t begin, int64_t end) const {
  double variance = std::pow(static_cast<double>(end - begin), 2) * LaplaceVarianceOf(ScaleOf(0));
  for (int64_t nodes = 1; nodes < bins_; nodes *= 2) {
    const int64_t width = bins_ / nodes, first = begin / width, last = (end - 1) / width;
    for (int64_t j = first;; j = last) {
      const int64_t from = j * width, middle = from + width / 2;
      const double difference = static_cast<double>(OverlapOf(begin, end, from, middle) -
                                                    OverlapOf(begin, end, middle, from + width));
      variance += difference * difference * LaplaceVarianceOf(ScaleOf(nodes + j));
      if (j == last) break;
    }
  }
  return variance;
}

double Privelet::Deviation() const {
  return RootMeanOverRanges(
      bins_, [this](int64_t begin, int64_t end) { return RangeVariance(begin, end); });
}

std::vector<double> MergeRuns(absl::Span<const double> noisy, double variance) {
  const size_t bins = noisy.size();
  std::vector<double> sums(bins + 1, 0), squares(bins + 1, 0);
  for (size_t i = 0; i < bins; ++i) {
    sums[i + 1] = sums[i] + noisy[i];
    squares[i + 1] = squares[i] + noisy[i] * noisy[i];
  }
  // By the end of the last run.
  std::vector<double> least(bins + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> begins(bins + 1, 0);
  least[0] = 0;
  for (size_t end = 1; end <= bins; ++end) {
    for (size_t begin = 0; begin < end; ++begin) {
      const double sum = sums[end] - sums[begin];
      const double cost = least[begin] + squares[end] - squares[begin] -
                          sum * sum / static_cast<double>(end - begin) + 2 * variance;
      if (cost >= least[end]) continue;
      least[end] = cost;
      begins[end] = begin;
    }
  }
  std::vector<double> merged(bins);
  for (size_t end = bins; end > 0; end = begins[end]) {
    const double mean = (sums[end] - sums[begins[end]]) / static_cast<double>(end - begins[end]);
    for (size_t i = begins[end]; i < end; ++i) merged[i] = mean;
  }
  return merged;
}

std::vector<double> NoiseFirst(absl::Span<const double> counts, double epsilon, Generator& noise) {
  const double scale = 2 / epsilon;
  std::vector<double> noisy(counts.begin(), counts.end());
  for (double& count : noisy) count += simulation::Laplace(scale, noise);
  return MergeRuns(noisy, LaplaceVarianceOf(scale));
}

// A range's error is the difference of two prefixes' ones.
double RangeError(absl::Span<const double> counts, absl::Span<const double> estimate) {
  double prefix = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    prefix += estimate[i] - counts[i];
    sum += prefix;
    squares += prefix * prefix;
  }
  const double points = static_cast<double>(counts.size()) + 1;
  return std::sqrt((points * squares - sum * sum) / AllRanges(static_cast<int64_t>(counts.size())));
}

double FlatDeviation(int64_t bins, double variance) {
  // The mean width of all ranges.
  return std::sqrt(variance * static_cast<double>(bins + 2) / 3);
}

double TreeDeviation(int64_t bins, int64_t branching, double variance) {
  const RangeTree tree(bins, branching, false);
  const std::vector<double> variances(tree.levels(), variance);
  const RangeVariance known(tree, variances);
  return RootMeanOverRanges(bins,
                            [&](int64_t begin, int64_t end) { return known.OfRange(begin, end); });
}

}  // namespace tombola::lab
