// Histograms for those who ask, over gRPC and over HTTP alike.
#ifndef TOMBOLA_COLLECTOR_QUERY_HISTOGRAMS_H_
#define TOMBOLA_COLLECTOR_QUERY_HISTOGRAMS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/catalog/catalog.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/query/answer_metrics.h"
#include "collector/query/guarantee.h"
#include "common/base/fair_share.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// What an answer becomes before it is sent: it decides how much memory the answer takes.
enum class AnswerForm {
  kMessage,  // protobuf
  kText,     // JSON or CSV (common/json/histogram.h); no value is asked for twice
};

// Histograms can be large: whoever asks holds a ticket of a budget that tasks share from the
// question until the answer is sent. What is refused and how long answers take is counted here.
// Free of gRPC. Thread-safe.
class Histograms {
 public:
  Histograms(const Catalog* catalog, const BatchLedger* ledger, FairShare* answers,
             AnswerMetrics* metrics)
      : catalog_(catalog), ledger_(ledger), answers_(answers), metrics_(metrics) {}

  // The budget's ticket for the answer, if it may begin; at once. InvalidArgument: no task id.
  // NotFound: no such task. ResourceExhausted, with a time to wait: as FairShare.
  absl::StatusOr<FairShare::Ticket> Admit(const v1::GetHistogramRequest& request,
                                          AnswerForm form) const;

  // A question that was not understood is counted like one that Admit refuses.
  void CountRefused(const absl::Status& status) const { metrics_->Refused(status); }

  // Computes the answer, for as long as that takes. InvalidArgument: the request is out of its
  // bounds. FailedPrecondition: nothing was counted yet.
  absl::Status Fill(const v1::GetHistogramRequest& request, v1::Histogram* histogram);

 private:
  absl::StatusOr<FairShare::Ticket> Enter(const v1::GetHistogramRequest& request,
                                          AnswerForm form) const;
  absl::Status Compute(const v1::GetHistogramRequest& request, v1::Histogram* histogram);

  const Catalog* const catalog_;
  const BatchLedger* const ledger_;
  FairShare* const answers_;
  AnswerMetrics* const metrics_;
  Guarantees guarantees_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_HISTOGRAMS_H_
