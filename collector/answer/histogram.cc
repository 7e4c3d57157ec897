#include "collector/answer/histogram.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/answer/columns.h"
#include "collector/estimate/estimator.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

// By how much errors are larger than those of as many independent reports. Memos of a device are
// the same in every batch: the error of a mean over w batches is at most that of the mean of their
// errors, sqrt(w) times what independent batches would have.
double Repetition(const Evidence& evidence) {
  if (!evidence.task.scheme()->memoised()) return 1;
  return std::sqrt(static_cast<double>(std::max<int64_t>(1, evidence.batches)));
}

absl::StatusOr<std::vector<double>> Frequencies(const Estimator& estimator,
                                                const Estimates& estimates,
                                                const Evidence& evidence, Postprocess how) {
  if (how == Postprocess::kEm && estimator.model().difference_shape > 0) {
    return absl::InvalidArgumentError(
        "em needs counts that are not differences, as those of correlated are: use pop or none");
  }
  if (how == Postprocess::kEm && estimator.shares_counts()) {
    return absl::InvalidArgumentError(
        "em needs a count for each value, and values of this task share bits: use pop or none");
  }
  const mechanism::Tally& tally = evidence.tally;
  PostprocessInput input;
  input.raw = estimates.raw;
  input.counts = evidence.counts.tables.front().counts;
  TOMBOLA_ASSIGN_OR_RETURN(input.threshold, estimator.NoiseThreshold(tally, kNoiseShare));
  input.threshold *= Repetition(evidence);
  input.background = mechanism::Background(estimator.model(), tally);
  input.signal = mechanism::Signal(estimator.model()) * static_cast<double>(tally.submissions);
  return Process(how, input);
}

void Widen(double factor, Estimates* estimates) {
  if (factor == 1) return;
  estimates->widening.resize(estimates->raw.size(), 1);
  for (double& widening : estimates->widening) widening *= factor;
  for (double& error : estimates->standard_errors) error *= factor;
}

}  // namespace

absl::StatusOr<int64_t> HistogramAnswerer::Bytes(const Task& task,
                                                 const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  const v1::HistogramQuestion& question = request.histogram();
  return ColumnBytes(task, {question.top(), question.values_size()},
                     {.columns = 5, .counted = task.domain().size()}, form);
}

absl::Status HistogramAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                     Postprocess postprocess, v1::Answer* answer) const {
  const Estimator estimator(*evidence.task.kind().tables()[0]);
  TOMBOLA_ASSIGN_OR_RETURN(
      Estimates estimates,
      estimator.Estimate(evidence.counts.tables.front().counts, evidence.tally));
  const double repetition = Repetition(evidence);
  Widen(repetition, &estimates);
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                           Frequencies(estimator, estimates, evidence, postprocess));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval,
                           estimator.IntervalAt(evidence.tally, request.confidence()));
  TOMBOLA_ASSIGN_OR_RETURN(
      const std::vector<uint64_t> values,
      Pick(request.histogram().top(), request.histogram().values(), frequencies));
  TOMBOLA_ASSIGN_OR_RETURN(const double max_error,
                           estimator.MaxError(evidence.tally, 1 - request.confidence()));
  v1::Histogram* const body = answer->mutable_histogram();
  body->set_max_error(repetition * max_error);
  FillColumns(evidence.task.domain(), values, {estimates, frequencies, interval}, body);
  if (request.histogram().top() > 0) {
    TOMBOLA_ASSIGN_OR_RETURN(const Band band,
                             estimator.BandAt(evidence.tally, 1 - request.confidence()));
    *body->mutable_ranking() = RankingOf(band, estimates.raw, values, request.histogram().top());
  }
  return absl::OkStatus();
}

}  // namespace tombola::collector
