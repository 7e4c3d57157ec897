#include "collector/query/query_service.h"

#include <string>
#include <utility>

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

}  // namespace

grpc::Status QueryService::ListTasks(grpc::ServerContext* context, const v1::ListTasksRequest*,
                                     v1::TaskList* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return rpc::ToGrpc(role);
  for (const CatalogEntry& entry : catalog_->Tasks()) {
    auto info = infos_->Describe(entry);
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
    TOMBOLA_ASSIGN_OR_RETURN(*response, infos_->Describe(entry));
    return absl::OkStatus();
  };
  return rpc::ToGrpc(fill());
}

grpc::ServerUnaryReactor* QueryService::GetHistogram(grpc::CallbackServerContext* context,
                                                     const v1::GetHistogramRequest* request,
                                                     v1::Histogram* response) {
  const absl::Status role = CheckRole(*context);
  absl::StatusOr<FairShare::Ticket> ticket =
      role.ok() ? histograms_->Admit(*request, AnswerForm::kMessage) : role;
  if (!ticket.ok()) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(rpc::ToGrpc(ticket.status()));
    return reactor;
  }
  auto* const call = new rpc::AdmittedCall(*std::move(ticket), watch_, context);
  pool_->Add([this, call, context, request, response](int) {
    // Nobody waits for the answer to a call that ended in the queue.
    const absl::Status status = context->IsCancelled() ? absl::CancelledError("cancelled")
                                                       : histograms_->Fill(*request, response);
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
