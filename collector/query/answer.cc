#include "collector/query/answer.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "collector/estimate/estimator.h"
#include "common/base/status_macros.h"

namespace tombola::collector {
namespace {

// The probability that norm_sub or base_cut takes noise for a value somewhere in the domain.
constexpr double kNoiseShare = 0.05;

absl::StatusOr<std::vector<uint64_t>> Pick(const Question& question,
                                           const std::vector<double>& frequencies) {
  std::vector<uint64_t> values = question.values;
  if (values.empty()) {
    values.resize(frequencies.size());
    std::iota(values.begin(), values.end(), 0);
  }
  for (const uint64_t value : values) {
    if (value >= frequencies.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("values must be below the domain's size, ", frequencies.size()));
    }
  }
  if (question.top == 0) return values;
  const size_t top = std::min(values.size(), static_cast<size_t>(question.top));
  const auto larger = [&](uint64_t a, uint64_t b) {
    return frequencies[a] != frequencies[b] ? frequencies[a] > frequencies[b] : a < b;
  };
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(top), values.end(),
                    larger);
  values.resize(top);
  return values;
}

absl::StatusOr<std::vector<double>> Frequencies(const Estimator& estimator,
                                                const Estimates& estimates,
                                                const TaskTotals& totals, Postprocess how) {
  if (how == Postprocess::kEm && estimator.model().difference_shape > 0) {
    return absl::InvalidArgumentError(
        "em needs counts that are not differences, as those of correlated are: use pop or none");
  }
  const mechanism::Tally& tally = totals.tally;
  PostprocessInput input;
  input.raw = estimates.raw;
  input.counts = totals.counts;
  TOMBOLA_ASSIGN_OR_RETURN(input.threshold, estimator.NoiseThreshold(tally, kNoiseShare));
  input.background = mechanism::Background(estimator.model(), tally);
  input.signal = mechanism::Signal(estimator.model()) * static_cast<double>(tally.submissions);
  return Process(how, input);
}

}  // namespace

absl::StatusOr<Bins> Answer(const Task& task, const TaskTotals& totals, const Question& question) {
  if (!(question.confidence > 0 && question.confidence < 1)) {
    return absl::InvalidArgumentError("confidence must be in (0, 1)");
  }
  if (question.top < 0) return absl::InvalidArgumentError("top must be at least 0");
  if (totals.counted_batches == 0) {
    return absl::FailedPreconditionError("no batch of this task has been counted yet");
  }
  const Estimator estimator(*task.mechanism());
  TOMBOLA_ASSIGN_OR_RETURN(const Estimates estimates,
                           estimator.Estimate(totals.counts, totals.tally));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                           Frequencies(estimator, estimates, totals, question.postprocess));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval,
                           estimator.IntervalAt(totals.tally, question.confidence));
  Bins bins;
  TOMBOLA_ASSIGN_OR_RETURN(bins.values, Pick(question, frequencies));
  const size_t rows = bins.values.size();
  for (std::vector<double>* const column :
       {&bins.frequencies, &bins.raw, &bins.standard_errors, &bins.low, &bins.high}) {
    column->resize(rows);
  }
  for (size_t i = 0; i < rows; ++i) {
    const uint64_t value = bins.values[i];
    const double raw = estimates.raw[value];
    const double half = interval.HalfWidth(raw);
    bins.frequencies[i] = frequencies[value];
    bins.raw[i] = raw;
    bins.standard_errors[i] = estimates.standard_errors[value];
    bins.low[i] = raw - half;
    bins.high[i] = raw + half;
  }
  return bins;
}

}  // namespace tombola::collector
