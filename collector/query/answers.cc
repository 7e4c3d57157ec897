#include "collector/query/answers.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "collector/query/envelope.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"

namespace tombola::collector {
namespace {

constexpr int64_t kEnvelopeBytes = int64_t{1} << 16;  // more than it takes

absl::StatusOr<TaskId> IdFrom(const std::string& wire) {
  const auto id = IdFromBytes<TaskId>(wire);
  if (!id.has_value()) return absl::InvalidArgumentError("task_id must be 32 bytes");
  return *id;
}

absl::Status Left() { return absl::CancelledError("nobody waits for the answer any more"); }

}  // namespace

absl::StatusOr<FairShare::Ticket> Answers::Admit(const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  absl::StatusOr<FairShare::Ticket> ticket = Enter(request, form);
  if (!ticket.ok()) metrics_->Refused(ticket.status());
  return ticket;
}

absl::Status Answers::Fill(const v1::GetAnswerRequest& request, v1::Answer* answer,
                           const std::function<bool()>& left) {
  const auto began = std::chrono::steady_clock::now();
  const absl::Status status = Compute(request, answer, left);
  if (status.ok()) {
    metrics_->Took(absl::FromChrono(std::chrono::steady_clock::now() - began));
  } else if (!absl::IsCancelled(status)) {
    metrics_->Refused(status);
  }
  return status;
}

absl::StatusOr<FairShare::Ticket> Answers::Enter(const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  TOMBOLA_ASSIGN_OR_RETURN(const Answerer* const answerer,
                           answerers_->For(entry.task->kind().name(), request));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t bytes, answerer->Bytes(*entry.task, request, form));
  return budget_->Enter(id, kEnvelopeBytes + bytes);
}

absl::Status Answers::Compute(const v1::GetAnswerRequest& request, v1::Answer* answer,
                              const std::function<bool()>& left) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, IdFrom(request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  const Task& task = *entry.task;
  TOMBOLA_ASSIGN_OR_RETURN(const Answerer* const answerer,
                           answerers_->For(task.kind().name(), request));
  TOMBOLA_ASSIGN_OR_RETURN(const Postprocess postprocess, CheckRequest(request));
  const auto totals = ledger_->Totals(id);
  if (totals->counted_batches == 0) {
    return absl::FailedPreconditionError("no batch of this task has been counted yet");
  }
  if (left()) return Left();
  TOMBOLA_RETURN_IF_ERROR(
      answerer->Fill({.task = task, .counts = totals->counts, .tally = totals->tally}, request,
                     postprocess, answer));
  if (left()) return Left();
  TOMBOLA_ASSIGN_OR_RETURN(const Guarantee guarantee,
                           guarantees_.For(task, totals->smallest_batch));
  FillEnvelope(task, *totals, guarantee, catalog_->RestoresOf(id), answer);
  return absl::OkStatus();
}

}  // namespace tombola::collector
