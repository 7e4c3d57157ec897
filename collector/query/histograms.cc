#include "collector/query/histograms.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/time/time.h"
#include "collector/query/answer.h"
#include "collector/query/quality.h"
#include "common/base/status_macros.h"
#include "common/json/histogram.h"

namespace tombola::collector {
namespace {

absl::StatusOr<TaskId> IdFrom(const std::string& wire) {
  const auto id = IdFromBytes<TaskId>(wire);
  if (!id.has_value()) return absl::InvalidArgumentError("task_id must be 32 bytes");
  return *id;
}

absl::StatusOr<Question> QuestionFromProto(const v1::GetHistogramRequest& wire) {
  Question question;
  switch (wire.postprocess()) {
    case v1::POSTPROCESS_NONE:
      question.postprocess = Postprocess::kNone;
      break;
    case v1::POSTPROCESS_POP:
      question.postprocess = Postprocess::kPop;
      break;
    case v1::POSTPROCESS_NORM_SUB:
      question.postprocess = Postprocess::kNormSub;
      break;
    case v1::POSTPROCESS_BASE_CUT:
      question.postprocess = Postprocess::kBaseCut;
      break;
    case v1::POSTPROCESS_EM:
      question.postprocess = Postprocess::kEm;
      break;
    default:
      return absl::InvalidArgumentError(
          "postprocess must be POSTPROCESS_NONE, _POP, _NORM_SUB, _BASE_CUT or _EM");
  }
  if (wire.top() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return absl::InvalidArgumentError("top must be at most 2^63 - 1");
  }
  question.confidence = wire.confidence();
  question.top = static_cast<int64_t>(wire.top());
  question.values.assign(wire.values().begin(), wire.values().end());
  return question;
}

void FillGuarantee(const Guarantee& guarantee, const Task& task, int64_t batches,
                   v1::Guarantee* wire) {
  wire->set_epsilon(guarantee.epsilon);
  wire->set_delta(guarantee.delta);
  if (std::isfinite(guarantee.local_epsilon)) wire->set_local_epsilon(guarantee.local_epsilon);
  wire->set_users(static_cast<uint64_t>(guarantee.users));
  wire->set_method(guarantee.method);
  wire->set_batches(static_cast<uint64_t>(batches));
  wire->set_submissions_per_device(static_cast<uint32_t>(task.submissions_per_device()));
  wire->set_batch_epsilon(guarantee.batch_epsilon);
  wire->set_dishonest_share(task.batch_policy().dishonest_share);
  wire->set_epsilon_foreign_10(guarantee.epsilon_foreign_10);
  wire->set_epsilon_foreign_50(guarantee.epsilon_foreign_50);
  wire->set_accounted_users(static_cast<uint64_t>(guarantee.accounted_users));
}

void FillRejected(const RejectedReports& rejected, v1::Rejected* wire) {
  wire->set_unopened(static_cast<uint64_t>(rejected.unopened));
  wire->set_malformed(static_cast<uint64_t>(rejected.malformed));
  wire->set_out_of_range(static_cast<uint64_t>(rejected.out_of_range));
}

void FillQuality(const Quality& quality, v1::Quality* wire) {
  FillRejected(quality.refused, wire->mutable_refused());
  wire->set_duplicates(static_cast<uint64_t>(quality.duplicates));
  wire->set_shift_per_dishonest(quality.shift_per_dishonest);
  wire->set_dishonest(static_cast<uint64_t>(quality.dishonest));
  wire->set_shift_at_dishonest_share(quality.shift_at_dishonest_share);
  for (const Warning& warning : quality.warnings) {
    v1::QualityWarning* added = wire->add_warnings();
    added->set_kind(warning.kind);
    added->set_text(warning.text);
  }
}

void FillBins(const Bins& bins, const Domain& domain, v1::Histogram* wire) {
  wire->mutable_values()->Add(bins.values.begin(), bins.values.end());
  wire->mutable_frequencies()->Add(bins.frequencies.begin(), bins.frequencies.end());
  wire->mutable_raw()->Add(bins.raw.begin(), bins.raw.end());
  wire->mutable_standard_errors()->Add(bins.standard_errors.begin(), bins.standard_errors.end());
  wire->mutable_low()->Add(bins.low.begin(), bins.low.end());
  wire->mutable_high()->Add(bins.high.begin(), bins.high.end());
  if (domain.labels().empty()) return;
  for (const uint64_t value : bins.values) wire->add_labels(domain.labels()[value]);
}

// Of memory. First estimates, errors and frequencies of all values, with each value of the answer
// twice, in columns of 48 bytes; then the values in a message, and that in its bytes or its text.
int64_t AnswerBytes(const v1::GetHistogramRequest& request, const Task& task, AnswerForm form) {
  const int64_t domain = task.domain().size();
  int64_t bins = request.values_size() == 0 ? domain : request.values_size();
  if (request.top() != 0) bins = static_cast<int64_t>(std::min<uint64_t>(bins, request.top()));
  constexpr int64_t kSmall = int64_t{1} << 16;
  if (form == AnswerForm::kMessage) return kSmall + 64 * domain + 144 * bins;
  int64_t message = 48 * bins;
  int64_t labels = 0;
  if (!task.domain().labels().empty()) {
    labels = static_cast<int64_t>(task.bytes().size());  // which hold all of them
    message += labels + 48 * bins;
  }
  return kSmall +
         std::max(64 * domain + 48 * bins + message, message + MostTextBytes(bins, labels));
}

}  // namespace

absl::StatusOr<FairShare::Ticket> Histograms::Admit(const v1::GetHistogramRequest& request,
                                                    AnswerForm form) const {
  absl::StatusOr<FairShare::Ticket> ticket = Enter(request, form);
  if (!ticket.ok()) metrics_->Refused(ticket.status());
  return ticket;
}

absl::Status Histograms::Fill(const v1::GetHistogramRequest& request, v1::Histogram* histogram) {
  const auto began = std::chrono::steady_clock::now();
  const absl::Status status = Compute(request, histogram);
  if (status.ok()) {
    metrics_->Took(absl::FromChrono(std::chrono::steady_clock::now() - began));
  } else {
    metrics_->Refused(status);
  }
  return status;
}

absl::StatusOr<FairShare::Ticket> Histograms::Enter(const v1::GetHistogramRequest& request,
                                                    AnswerForm form) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  return answers_->Enter(id, AnswerBytes(request, *entry.task, form));
}

absl::Status Histograms::Compute(const v1::GetHistogramRequest& request, v1::Histogram* histogram) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  TOMBOLA_ASSIGN_OR_RETURN(const Question question, QuestionFromProto(request));
  const auto totals = ledger_->Totals(id);
  TOMBOLA_ASSIGN_OR_RETURN(const Bins bins, Answer(*entry.task, *totals, question));
  TOMBOLA_ASSIGN_OR_RETURN(const Guarantee guarantee,
                           guarantees_.For(*entry.task, totals->smallest_batch));
  histogram->set_task_id(std::string(AsView(id)));
  FillBins(bins, entry.task->domain(), histogram);
  histogram->set_reports(static_cast<uint64_t>(totals->good));
  histogram->set_submissions(static_cast<uint64_t>(totals->tally.submissions));
  histogram->set_fakes(static_cast<uint64_t>(totals->tally.fakes));
  FillRejected(totals->rejected, histogram->mutable_rejected());
  FillGuarantee(guarantee, *entry.task, totals->counted_batches, histogram->mutable_guarantee());
  FillQuality(QualityOf(*entry.task, *totals), histogram->mutable_quality());
  return absl::OkStatus();
}

}  // namespace tombola::collector
