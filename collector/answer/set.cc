#include "collector/answer/set.h"

#include <vector>

#include "absl/types/span.h"
#include "collector/answer/columns.h"
#include "collector/answer/items.h"
#include "common/base/status_macros.h"
#include "common/kind/set.h"

namespace tombola::collector {

absl::StatusOr<int64_t> SetAnswerer::Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                           AnswerForm form) const {
  const v1::SetQuestion& question = request.set();
  return ColumnBytes(task, {question.top(), question.values_size()},
                     {.columns = 5, .counted = task.kind().tables()[0]->domain_size()}, form);
}

absl::Status SetAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                               Postprocess postprocess, v1::Answer* answer) const {
  const ItemCells& cells = static_cast<const Set&>(evidence.kind()).cells();
  const mechanism::CountModel model = evidence.kind().tables()[0]->count_model();
  const auto counts = absl::MakeConstSpan(evidence.counts.tables.front().counts);
  const auto values_end = static_cast<size_t>(cells.values);
  const Estimator estimator(model, cells.values);
  TOMBOLA_ASSIGN_OR_RETURN(const Estimates estimates,
                           estimator.Estimate(counts.first(values_end), evidence.tally));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> frequencies,
                           ProcessShares(postprocess, estimates, estimator, evidence.tally));
  TOMBOLA_ASSIGN_OR_RETURN(const Interval interval,
                           estimator.IntervalAt(evidence.tally, request.confidence()));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<uint64_t> values,
                           Pick(request.set().top(), request.set().values(), frequencies));
  TOMBOLA_ASSIGN_OR_RETURN(const double max_error,
                           estimator.MaxError(evidence.tally, 1 - request.confidence()));
  v1::Set* const body = answer->mutable_set();
  body->set_max_error(max_error);
  FillColumns(evidence.task.domain(), values, {estimates, frequencies, interval}, body);
  if (request.set().top() > 0) {
    TOMBOLA_ASSIGN_OR_RETURN(const Band band,
                             estimator.BandAt(evidence.tally, 1 - request.confidence()));
    *body->mutable_ranking() = RankingOf(band, estimates.raw, values, request.set().top());
  }
  return FillSizes(model, counts.subspan(values_end), evidence.tally, request.confidence(),
                   body->mutable_sizes());
}

}  // namespace tombola::collector
