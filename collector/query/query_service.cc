#include "collector/query/query_service.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "collector/totals/totals_question.h"
#include "common/base/status_macros.h"
#include "common/rpc/admitted_call.h"
#include "common/rpc/peer.h"
#include "common/rpc/status.h"

namespace tombola::collector {
namespace {

// As a message, and as the bytes that are sent.
constexpr int64_t kMostTotalsBytes = 2 * 64 * static_cast<int64_t>(kMostTotalsPeriods);

}  // namespace

absl::Status QueryService::CheckRole(const grpc::CallbackServerContext& context) const {
  return rpc::RequireRole(*context.auth_context(), {kRoleAnalyst, kRoleAdministrator}, revocation_);
}

grpc::ServerUnaryReactor* QueryService::ListTasks(grpc::CallbackServerContext* context,
                                                  const v1::ListTasksRequest* request,
                                                  v1::TaskList* response) {
  const auto work = [this, request, response]() -> absl::Status {
    for (const CatalogEntry& entry : catalog_->Tasks()) {
      if (entry.archived != request->archived()) continue;
      TOMBOLA_ASSIGN_OR_RETURN(*response->add_tasks(), infos_->Describe(entry));
    }
    return absl::OkStatus();
  };
  // As a message, and as the bytes that are sent.
  return desk_->Answer(context, CheckRole(*context), work, 2 * catalog_->bytes());
}

grpc::ServerUnaryReactor* QueryService::GetTask(grpc::CallbackServerContext* context,
                                                const v1::GetTaskInfoRequest* request,
                                                v1::TaskInfo* response) {
  return desk_->Answer(context, CheckRole(*context), [this, request, response]() -> absl::Status {
    TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request->task_id()));
    TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
    TOMBOLA_ASSIGN_OR_RETURN(*response, infos_->Describe(entry));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* QueryService::GetAnswer(grpc::CallbackServerContext* context,
                                                  const v1::GetAnswerRequest* request,
                                                  v1::Answer* response) {
  const absl::Status role = CheckRole(*context);
  absl::StatusOr<FairShare::Ticket> ticket =
      role.ok() ? answers_->Admit(*request, AnswerForm::kMessage) : role;
  if (!ticket.ok()) {
    if (!absl::IsUnauthenticated(ticket.status())) {
      audit_->Note({.who = rpc::PeerName(*context->auth_context()),
                    .act = "answer",
                    .about = {{"task", absl::BytesToHexString(
                                           absl::string_view(request->task_id()).substr(0, 32))}},
                    .outcome = ticket.status()});
    }
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(rpc::ToGrpc(ticket.status()));
    return reactor;
  }
  auto* const call = new rpc::AdmittedCall(*std::move(ticket), watch_, context);
  pool_->Add([this, call, context, request, response](int) {
    // Nobody waits for the answer to a call that ended in the queue, or since.
    const auto left = [context] { return context->IsCancelled(); };
    const absl::Status status = answers_->Fill(*request, response, left);
    audit_->Note({.who = rpc::PeerName(*context->auth_context()),
                  .act = "answer",
                  .about = {{"task", absl::BytesToHexString(request->task_id())}},
                  .outcome = status});
    call->Finish(rpc::ToGrpc(status));
  });
  return call;
}

grpc::ServerUnaryReactor* QueryService::ListKeys(grpc::CallbackServerContext* context,
                                                 const v1::ListKeysRequest*,
                                                 v1::KeyInfo* response) {
  return desk_->Answer(context, CheckRole(*context), [this, response] {
    *response = keys_->Describe();
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* QueryService::GetTotals(grpc::CallbackServerContext* context,
                                                  const v1::GetTotalsRequest* request,
                                                  v1::Totals* response) {
  const auto work = [this, context, request, response] {
    absl::StatusOr<v1::Totals> totals = totals_->Get(*request);
    audit_->Note({.who = rpc::PeerName(*context->auth_context()),
                  .act = "totals",
                  .about = {{"task", absl::BytesToHexString(
                                         absl::string_view(request->task_id()).substr(0, 32))}},
                  .outcome = totals.status()});
    if (totals.ok()) *response = *std::move(totals);
    return totals.status();
  };
  return desk_->Answer(context, CheckRole(*context), work, kMostTotalsBytes);
}

}  // namespace tombola::collector
