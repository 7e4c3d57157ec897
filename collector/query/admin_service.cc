#include "collector/query/admin_service.h"

#include <optional>
#include <utility>

#include "collector/catalog/task_maker.h"
#include "common/base/status_macros.h"
#include "common/log/log.h"
#include "common/rpc/status.h"
#include "common/rpc/tls.h"

namespace tombola::collector {
namespace {

absl::Status CheckRole(const grpc::ServerContext& context) {
  return rpc::RequireRole(*context.auth_context(), {kRoleAdministrator});
}

}  // namespace

grpc::Status AdminService::CreateTask(grpc::ServerContext* context,
                                      const v1::CreateTaskRequest* request,
                                      v1::TaskInfo* response) {
  const auto create = [&]() -> absl::Status {
    TOMBOLA_RETURN_IF_ERROR(CheckRole(*context));
    const auto random = parts_.make_random();
    TOMBOLA_ASSIGN_OR_RETURN(
        const auto task, MakeTask(*request, parts_.collector_key, parts_.clock->Now(), *random));
    if (task->batch_policy().interval > parts_.keys->times().lifetime) {
      return absl::FailedPreconditionError(
          "interval must not be longer than a key lives (the collector's --key-lifetime): devices "
          "would refuse the key");
    }
    TOMBOLA_RETURN_IF_ERROR(parts_.catalog->Add(task));
    log::Info("task_created", {{"task", ToHex(task->id())}, {"domain", task->domain().size()}});
    TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->Describe({.task = task}));
    return absl::OkStatus();
  };
  return rpc::ToGrpc(create());
}

grpc::Status AdminService::CloseTask(grpc::ServerContext* context,
                                     const v1::CloseTaskRequest* request, v1::TaskInfo* response) {
  const auto close = [&]() -> absl::Status {
    TOMBOLA_RETURN_IF_ERROR(CheckRole(*context));
    const auto id = IdFromBytes<TaskId>(request->task_id());
    if (!id.has_value()) return absl::InvalidArgumentError("task_id must be 32 bytes");
    TOMBOLA_RETURN_IF_ERROR(parts_.catalog->Close(*id));
    log::Info("task_closed", {{"task", ToHex(*id)}});
    TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, parts_.catalog->Find(*id));
    TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->Describe(entry));
    return absl::OkStatus();
  };
  return rpc::ToGrpc(close());
}

grpc::Status AdminService::RotateKeys(grpc::ServerContext* context,
                                      const v1::RotateKeysRequest* request, v1::KeyInfo* response) {
  const auto rotate = [&]() -> absl::Status {
    TOMBOLA_RETURN_IF_ERROR(CheckRole(*context));
    const auto random = parts_.make_random();
    std::optional<absl::Time> at;
    if (request->at() != 0) at = absl::FromUnixSeconds(request->at());
    TOMBOLA_RETURN_IF_ERROR(parts_.keys->Rotate(at, *random));
    *response = parts_.keys->Describe();
    log::Info("keys_rotated", {{"serial", static_cast<int64_t>(response->keys().serial())}});
    return absl::OkStatus();
  };
  return rpc::ToGrpc(rotate());
}

grpc::Status AdminService::DestroyKey(grpc::ServerContext* context,
                                      const v1::DestroyKeyRequest* request, v1::KeyInfo* response) {
  const auto destroy = [&]() -> absl::Status {
    TOMBOLA_RETURN_IF_ERROR(CheckRole(*context));
    const auto id = IdFromBytes<KeyId>(request->key_id());
    if (!id.has_value()) return absl::InvalidArgumentError("key_id must be 8 bytes");
    TOMBOLA_RETURN_IF_ERROR(parts_.keys->Destroy(*id));
    log::Info("key_destroyed", {{"key", ToHex(*id)}});
    *response = parts_.keys->Describe();
    return absl::OkStatus();
  };
  return rpc::ToGrpc(destroy());
}

grpc::Status AdminService::GetMetrics(grpc::ServerContext* context,
                                      const v1::GetCollectorMetricsRequest*,
                                      v1::CollectorMetrics* response) {
  const absl::Status role = CheckRole(*context);
  if (role.ok()) response->set_text(parts_.metrics->Text());
  return rpc::ToGrpc(role);
}

}  // namespace tombola::collector
