// Answers for those who ask, over gRPC and over HTTP alike.
#ifndef TOMBOLA_COLLECTOR_QUERY_ANSWERS_H_
#define TOMBOLA_COLLECTOR_QUERY_ANSWERS_H_

#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/answer/registry.h"
#include "collector/catalog/catalog.h"
#include "collector/query/answer_metrics.h"
#include "collector/query/decodings.h"
#include "collector/query/guarantee.h"
#include "collector/store/batch_ledger.h"
#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Answers can be large: whoever asks holds a ticket of a budget that tasks share from the
// question until the answer is sent. What is refused and how long answers take is counted here.
// Free of gRPC. Thread-safe.
class Answers {
 public:
  Answers(const Catalog* catalog, const BatchLedger* ledger, FairShare* budget,
          AnswerMetrics* metrics, const Clock* clock,
          const Answerers* answerers = &Answerers::All(), Decodings* decodings = nullptr)
      : catalog_(catalog),
        ledger_(ledger),
        budget_(budget),
        metrics_(metrics),
        clock_(clock),
        answerers_(answerers),
        decodings_(decodings) {}

  // InvalidArgument: even the smallest answer about the task would be larger than all of the
  // budget, so that there would never be one.
  absl::Status CheckAnswerable(const Task& task) const;

  // The budget's ticket for the answer, if it may begin; at once. InvalidArgument: no task id, or
  // the question is not of the task's kind. NotFound: no such task. ResourceExhausted, with a time
  // to wait: as FairShare.
  absl::StatusOr<FairShare::Ticket> Admit(const v1::GetAnswerRequest& request,
                                          AnswerForm form) const;

  // A question that was not understood is counted like one that Admit refuses.
  void CountRefused(const absl::Status& status) const { metrics_->Refused(status); }

  // Computes the answer, for as long as that takes; of strings, for which a search is under way,
  // one that says how far it is. InvalidArgument: the request is out of its
  // bounds. FailedPrecondition: nothing was counted yet, or nothing of the periods asked for.
  // Cancelled: `left`, asked before each part of the work that takes long, said that nobody waits
  // for the answer any more.
  absl::Status Fill(
      const v1::GetAnswerRequest& request, v1::Answer* answer,
      const std::function<bool()>& left = [] { return false; });

 private:
  absl::StatusOr<FairShare::Ticket> Enter(const v1::GetAnswerRequest& request,
                                          AnswerForm form) const;
  absl::Status Compute(const v1::GetAnswerRequest& request, v1::Answer* answer,
                       const std::function<bool()>& left);
  absl::Status SetCaption(const v1::GetAnswerRequest& request, v1::Answer* answer) const;
  // The same of a stream and of strings, from what was understood of the request.
  struct Checked {
    std::optional<PartRange> asked;
    Postprocess postprocess = Postprocess::kNone;
  };
  absl::Status OfNodes(const CatalogEntry& entry, const Answerer& answerer, const Checked& checked,
                       const v1::GetAnswerRequest& request, const std::function<bool()>& left,
                       v1::Answer* answer);
  absl::Status OfStrings(const CatalogEntry& entry, const Answerer& answerer,
                         const Checked& checked, const v1::GetAnswerRequest& request,
                         v1::Answer* answer);
  // What every answer says of the batches that it is made of, without a stream's nodes.
  absl::Status FillAround(const Task& task, const TaskTotals& totals,
                          const std::optional<PartRange>& asked, v1::Answer* answer);

  const Catalog* const catalog_;
  const BatchLedger* const ledger_;
  FairShare* const budget_;
  AnswerMetrics* const metrics_;
  const Clock* const clock_;
  const Answerers* const answerers_;
  Decodings* const decodings_;  // none: strings are not searched for
  Guarantees guarantees_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ANSWERS_H_
