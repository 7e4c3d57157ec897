#include "collector/query/admin_service.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "collector/catalog/task_maker.h"
#include "collector/totals/totals_question.h"
#include "common/base/status_macros.h"
#include "common/log/log.h"
#include "common/rpc/peer.h"

namespace tombola::collector {
namespace {

using Abouts = std::vector<std::pair<std::string, std::string>>;

// Of bytes that a caller has sent, no more than an id has.
std::string IdText(const std::string& bytes) {
  return absl::BytesToHexString(absl::string_view(bytes).substr(0, sizeof(TaskId)));
}

}  // namespace

absl::Status AdminService::CheckRole(const grpc::CallbackServerContext& context) const {
  return rpc::RequireRole(*context.auth_context(), {kRoleAdministrator}, parts_.revocation);
}

grpc::ServerUnaryReactor* AdminService::Act(grpc::CallbackServerContext* context,
                                            const std::string& act,
                                            std::function<absl::Status()> work, About about) const {
  const absl::Status allowed = CheckRole(*context);
  // Of somebody who is known; who is not cannot be named.
  if (absl::IsPermissionDenied(allowed)) {
    parts_.audit->Note(
        {.who = rpc::PeerName(*context->auth_context()), .act = act, .outcome = allowed});
  }
  return parts_.desk->Answer(
      context, allowed,
      [this, who = rpc::PeerName(*context->auth_context()), act, work = std::move(work),
       about = std::move(about)] {
        absl::Status status = work();
        parts_.audit->Record({.who = who, .act = act, .about = about(), .outcome = status});
        return status;
      });
}

grpc::ServerUnaryReactor* AdminService::CreateTask(grpc::CallbackServerContext* context,
                                                   const v1::CreateTaskRequest* request,
                                                   v1::TaskInfo* response) {
  return Act(
      context, "create_task",
      [this, context, request, response]() -> absl::Status {
        const auto random = parts_.make_random();
        const auto left = [context] { return context->IsCancelled(); };
        // The task begins now, and names it for good.
        TOMBOLA_ASSIGN_OR_RETURN(const absl::Time now, parts_.clock->SureNow());
        // Before planning takes its time.
        if (!request->same_name()) {
          TOMBOLA_RETURN_IF_ERROR(parts_.catalog->CheckName(
              request->name(), now, IdFromBytes<TaskId>(request->supersedes())));
        }
        TOMBOLA_ASSIGN_OR_RETURN(const auto task,
                                 MakeTask(*request, parts_.collector_key, now, *random, left));
        if (task->nodes() == nullptr &&
            task->batch_policy().interval > parts_.keys->times().lifetime) {
          return absl::FailedPreconditionError(
              "interval must not be longer than a key lives (the collector's --key-lifetime): "
              "devices would refuse the key");
        }
        TOMBOLA_RETURN_IF_ERROR(parts_.keys->CheckRoom(*task));
        TOMBOLA_RETURN_IF_ERROR(parts_.answers->CheckAnswerable(*task));
        // Who gave up gets no task: a second attempt would else make another one.
        if (left()) return absl::CancelledError("nobody waits for the task any more");
        const bool totals = request->has_trusted_totals();
        if (totals) TOMBOLA_RETURN_IF_ERROR(CheckTotals(request->trusted_totals(), *task));
        if (request->dry_run()) {
          TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->DescribePlanned(task));
          return absl::OkStatus();
        }
        if (totals) {
          TOMBOLA_RETURN_IF_ERROR(parts_.totals->Begin(request->trusted_totals(), task));
        }
        const auto named = request->same_name() ? std::nullopt : std::optional<absl::Time>(now);
        if (const absl::Status added = parts_.catalog->Add(task, named); !added.ok()) {
          if (totals) parts_.totals->Discard(task->id());
          return added;
        }
        log::Info("task_created", {{"task", ToHex(task->id())}, {"domain", task->domain().size()}});
        // So that devices need not wait for the keys of a stream's first nodes. What fails is tried
        // again by the second, and said there.
        if (task->nodes() != nullptr) parts_.keys->Tend(*random).IgnoreError();
        TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->Describe({.task = task}));
        return absl::OkStatus();
      },
      [request, response]() -> Abouts {
        if (!request->supersedes().empty()) {
          return {{"name", request->name()},
                  {"task", absl::BytesToHexString(response->task_id())},
                  {"supersedes", IdText(request->supersedes())}};
        }
        if (request->dry_run()) return {{"name", request->name()}, {"dry_run", "true"}};
        return {{"name", request->name()}, {"task", absl::BytesToHexString(response->task_id())}};
      });
}

grpc::ServerUnaryReactor* AdminService::CloseTask(grpc::CallbackServerContext* context,
                                                  const v1::CloseTaskRequest* request,
                                                  v1::TaskInfo* response) {
  return Act(
      context, "close_task",
      [this, request, response]() -> absl::Status {
        TOMBOLA_ASSIGN_OR_RETURN(const auto id, RequireId<TaskId>("task_id", request->task_id()));
        TOMBOLA_RETURN_IF_ERROR(parts_.catalog->Close(id));
        log::Info("task_closed", {{"task", ToHex(id)}});
        TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, parts_.catalog->Find(id));
        TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->Describe(entry));
        return absl::OkStatus();
      },
      [request]() -> Abouts {
        return {{"task", IdText(request->task_id())}};
      });
}

grpc::ServerUnaryReactor* AdminService::ArchiveTask(grpc::CallbackServerContext* context,
                                                    const v1::ArchiveTaskRequest* request,
                                                    v1::TaskInfo* response) {
  return Act(
      context, request->restore() ? "restore_task" : "archive_task",
      [this, request, response]() -> absl::Status {
        TOMBOLA_ASSIGN_OR_RETURN(const auto id, RequireId<TaskId>("task_id", request->task_id()));
        TOMBOLA_RETURN_IF_ERROR(parts_.catalog->SetArchived(id, !request->restore()));
        TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, parts_.catalog->Find(id));
        TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.infos->Describe(entry));
        return absl::OkStatus();
      },
      [request]() -> Abouts {
        return {{"task", IdText(request->task_id())}};
      });
}

grpc::ServerUnaryReactor* AdminService::RotateKeys(grpc::CallbackServerContext* context,
                                                   const v1::RotateKeysRequest* request,
                                                   v1::KeyInfo* response) {
  return Act(
      context, "rotate_keys",
      [this, request, response]() -> absl::Status {
        const auto random = parts_.make_random();
        std::optional<absl::Time> at;
        if (request->at() != 0) at = absl::FromUnixSeconds(request->at());
        TOMBOLA_RETURN_IF_ERROR(parts_.keys->Rotate(at, *random));
        *response = parts_.keys->Describe();
        log::Info("keys_rotated", {{"serial", static_cast<int64_t>(response->keys().serial())}});
        return absl::OkStatus();
      },
      [response]() -> Abouts {
        return {{"serial", absl::StrCat(response->keys().serial())}};
      });
}

grpc::ServerUnaryReactor* AdminService::DestroyKey(grpc::CallbackServerContext* context,
                                                   const v1::DestroyKeyRequest* request,
                                                   v1::KeyInfo* response) {
  return Act(
      context, "destroy_key",
      [this, request, response]() -> absl::Status {
        TOMBOLA_ASSIGN_OR_RETURN(const auto id, RequireId<KeyId>("key_id", request->key_id()));
        TOMBOLA_RETURN_IF_ERROR(parts_.keys->Destroy(id));
        log::Info("key_destroyed", {{"key", ToHex(id)}});
        *response = parts_.keys->Describe();
        return absl::OkStatus();
      },
      [request]() -> Abouts {
        return {{"key", IdText(request->key_id())}};
      });
}

grpc::ServerUnaryReactor* AdminService::GetMetrics(grpc::CallbackServerContext* context,
                                                   const v1::GetCollectorMetricsRequest*,
                                                   v1::CollectorMetrics* response) {
  return parts_.desk->Answer(context, CheckRole(*context), [this, response] {
    response->set_text(parts_.metrics->Text());
    return absl::OkStatus();
  });
}

}  // namespace tombola::collector
