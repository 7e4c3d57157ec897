#include "collector/query/query_service.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/query/answer.h"
#include "collector/query/quality.h"
#include "collector/query/task_info.h"
#include "common/base/status_macros.h"
#include "common/rpc/admitted_call.h"
#include "common/rpc/status.h"
#include "common/rpc/tls.h"

namespace tombola::collector {
namespace {

absl::Status CheckRole(const grpc::ServerContextBase& context) {
  return rpc::RequireRole(*context.auth_context(), {kRoleAnalyst, kRoleAdministrator});
}

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

// Of memory: estimates, errors and frequencies of all values; then each value of the answer in the
// answer, the message and its bytes.
int64_t AnswerBytes(const v1::GetHistogramRequest& request, int64_t domain) {
  int64_t bins = request.values_size() == 0 ? domain : request.values_size();
  if (request.top() != 0) bins = static_cast<int64_t>(std::min<uint64_t>(bins, request.top()));
  return (int64_t{1} << 16) + 64 * domain + 144 * bins;
}

}  // namespace

grpc::Status QueryService::ListTasks(grpc::ServerContext* context, const v1::ListTasksRequest*,
                                     v1::TaskList* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return rpc::ToGrpc(role);
  for (const CatalogEntry& entry : catalog_->Tasks()) {
    auto info = DescribeTask(entry, *ledger_);
    if (!info.ok()) return rpc::ToGrpc(info.status());
    *response->add_tasks() = *std::move(info);
  }
  return grpc::Status::OK;
}

grpc::Status QueryService::GetTask(grpc::ServerContext* context,
                                   const v1::GetTaskInfoRequest* request, v1::TaskInfo* response) {
  const auto fill = [&]() -> absl::Status {
    TOMBOLA_RETURN_IF_ERROR(CheckRole(*context));
    TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request->task_id()));
    TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
    TOMBOLA_ASSIGN_OR_RETURN(*response, DescribeTask(entry, *ledger_));
    return absl::OkStatus();
  };
  return rpc::ToGrpc(fill());
}

absl::Status QueryService::FillHistogram(const v1::GetHistogramRequest& request,
                                         v1::Histogram* response) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  TOMBOLA_ASSIGN_OR_RETURN(const Question question, QuestionFromProto(request));
  const auto totals = ledger_->Totals(id);
  TOMBOLA_ASSIGN_OR_RETURN(const Bins bins, Answer(*entry.task, *totals, question));
  TOMBOLA_ASSIGN_OR_RETURN(const Guarantee guarantee,
                           guarantees_.For(*entry.task, totals->smallest_batch));
  response->set_task_id(std::string(AsView(id)));
  FillBins(bins, entry.task->domain(), response);
  response->set_reports(static_cast<uint64_t>(totals->good));
  response->set_submissions(static_cast<uint64_t>(totals->tally.submissions));
  response->set_fakes(static_cast<uint64_t>(totals->tally.fakes));
  FillRejected(totals->rejected, response->mutable_rejected());
  FillGuarantee(guarantee, *entry.task, totals->counted_batches, response->mutable_guarantee());
  FillQuality(QualityOf(*entry.task, *totals), response->mutable_quality());
  return absl::OkStatus();
}

absl::StatusOr<FairShare::Ticket> QueryService::Admit(
    const grpc::CallbackServerContext& context, const v1::GetHistogramRequest& request) const {
  TOMBOLA_RETURN_IF_ERROR(CheckRole(context));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  return answers_->Enter(id,
                         AnswerBytes(request, static_cast<int64_t>(entry.task->domain().size())));
}

grpc::ServerUnaryReactor* QueryService::GetHistogram(grpc::CallbackServerContext* context,
                                                     const v1::GetHistogramRequest* request,
                                                     v1::Histogram* response) {
  absl::StatusOr<FairShare::Ticket> ticket = Admit(*context, *request);
  if (!ticket.ok()) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(rpc::ToGrpc(ticket.status()));
    return reactor;
  }
  auto* const call = new rpc::AdmittedCall(*std::move(ticket), watch_, context);
  pool_->Add([this, call, context, request, response](int) {
    // Nobody waits for the answer to a call that ended in the queue.
    const absl::Status status = context->IsCancelled() ? absl::CancelledError("cancelled")
                                                       : FillHistogram(*request, response);
    call->Finish(rpc::ToGrpc(status));
  });
  return call;
}

grpc::Status QueryService::ListKeys(grpc::ServerContext* context, const v1::ListKeysRequest*,
                                    v1::KeyInfo* response) {
  const absl::Status role = CheckRole(*context);
  if (role.ok()) *response = keys_->Describe();
  return rpc::ToGrpc(role);
}

}  // namespace tombola::collector
