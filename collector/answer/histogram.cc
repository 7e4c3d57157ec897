#include "collector/answer/histogram.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "collector/estimate/estimator.h"
#include "common/base/status_macros.h"
#include "common/json/histogram.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

// The probability that norm_sub or base_cut takes noise for a value somewhere in the domain.
constexpr double kNoiseShare = 0.05;

absl::StatusOr<std::vector<uint64_t>> Pick(const v1::HistogramQuestion& question,
                                           const std::vector<double>& frequencies) {
  std::vector<uint64_t> values(question.values().begin(), question.values().end());
  if (values.empty()) {
    values.resize(frequencies.size());
    std::iota(values.begin(), values.end(), 0);
  }
  std::vector<bool> asked(frequencies.size());
  for (const uint64_t value : values) {
    if (value >= frequencies.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("values must be below the domain's size, ", frequencies.size()));
    }
    if (asked[value]) {
      return absl::InvalidArgumentError(absl::StrCat("values has ", value, " twice"));
    }
    asked[value] = true;
  }
  if (question.top() == 0) return values;
  const size_t top = std::min<uint64_t>(values.size(), question.top());
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
                                                const Evidence& evidence, Postprocess how) {
  if (how == Postprocess::kEm && estimator.model().difference_shape > 0) {
    return absl::InvalidArgumentError(
        "em needs counts that are not differences, as those of correlated are: use pop or none");
  }
  const mechanism::Tally& tally = evidence.tally;
  PostprocessInput input;
  input.raw = estimates.raw;
  input.counts = evidence.counts.tables.front().counts;
  TOMBOLA_ASSIGN_OR_RETURN(input.threshold, estimator.NoiseThreshold(tally, kNoiseShare));
  input.background = mechanism::Background(estimator.model(), tally);
  input.signal = mechanism::Signal(estimator.model()) * static_cast<double>(tally.submissions);
  return Process(how, input);
}

}  // namespace

// First estimates, errors and frequencies of all values, with each value of the answer twice, in
// columns of 48 bytes, and what was asked for; then the values in a message, and that in its bytes
// or its text.
absl::StatusOr<int64_t> HistogramAnswerer::Bytes(const Task& task,
                                                 const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  const v1::HistogramQuestion& question = request.histogram();
  const int64_t domain = task.domain().size();
  if (question.values_size() > domain) {
    return absl::InvalidArgumentError(
        absl::StrCat("values has ", question.values_size(), " of them; the domain has ", domain));
  }
  int64_t bins = question.values_size() == 0 ? domain : question.values_size();
  if (question.top() != 0) bins = static_cast<int64_t>(std::min<uint64_t>(bins, question.top()));
  const int64_t asked = 64 * domain + 16 * question.values_size();
  int64_t message = 48 * bins;
  int64_t labels = 0;
  if (!task.domain().labels().empty()) {
    labels = static_cast<int64_t>(task.bytes().size());  // which hold all of them
    message += labels + 48 * bins;
  }
  if (form == AnswerForm::kMessage) return asked + 96 * bins + message + labels;
  return std::max(asked + 48 * bins + message, message + MostHistogramText(bins, labels));
}

absl::Status HistogramAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                     Postprocess postprocess, v1::Answer* answer) const {
  const Estimator estimator(*evidence.task.kind().tables()[0]);
  TOMBOLA_ASSIGN_OR_RETURN(
      const Estimates estimates,
      estimator.Estimate(evidence.counts.tables.front().counts, evidence.tally));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                           Frequencies(estimator, estimates, evidence, postprocess));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval,
                           estimator.IntervalAt(evidence.tally, request.confidence()));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<uint64_t> values,
                           Pick(request.histogram(), frequencies));
  TOMBOLA_ASSIGN_OR_RETURN(const double max_error,
                           estimator.MaxError(evidence.tally, 1 - request.confidence()));
  v1::Histogram* const body = answer->mutable_histogram();
  body->set_max_error(max_error);
  const int rows = static_cast<int>(values.size());
  body->mutable_values()->Add(values.begin(), values.end());
  for (auto* const column :
       {body->mutable_frequencies(), body->mutable_raw(), body->mutable_standard_errors(),
        body->mutable_low(), body->mutable_high()}) {
    column->Reserve(rows);
  }
  for (const uint64_t value : values) {
    const double raw = estimates.raw[value];
    const double half = interval.HalfWidth(raw);
    body->add_frequencies(frequencies[value]);
    body->add_raw(raw);
    body->add_standard_errors(estimates.standard_errors[value]);
    body->add_low(raw - half);
    body->add_high(raw + half);
  }
  const std::vector<std::string>& labels = evidence.task.domain().labels();
  if (labels.empty()) return absl::OkStatus();
  for (const uint64_t value : values) body->add_labels(labels[value]);
  return absl::OkStatus();
}

}  // namespace tombola::collector
