#include "shuffler/accept/operator_service.h"

#include <algorithm>
#include <optional>
#include <string>

#include "common/base/status_macros.h"
#include "common/rpc/peer.h"

namespace tombola::shuffler {

absl::Status OperatorService::CheckRole(const grpc::CallbackServerContext& context) const {
  return rpc::RequireRole(*context.auth_context(), {kRoleOperator}, revocation_);
}

absl::Status OperatorService::Describe(const CatalogEntry& entry, v1::ShufflerTaskStatus* status) {
  const TaskId& id = entry.task->id();
  TOMBOLA_ASSIGN_OR_RETURN(const auto gate, gates_->For(entry.task));
  const TaskCounters counters = store_->Counters(id);
  status->set_task_id(std::string(AsView(id)));
  status->set_name(entry.task->name());
  status->set_closed(entry.closed);
  status->set_accepted(static_cast<uint64_t>(counters.accepted));
  status->set_duplicates(static_cast<uint64_t>(counters.duplicates));
  status->set_forwarded(static_cast<uint64_t>(counters.forwarded));
  status->set_expired(static_cast<uint64_t>(counters.expired));
  status->set_released_batches(static_cast<uint64_t>(counters.released_batches));
  // Of a stream, in the node of the present period.
  const uint64_t present = entry.task->PartAt(clock_->Now());
  status->set_needed(static_cast<uint64_t>(gate->NeededIn(present)));
  status->set_planned(static_cast<uint64_t>(entry.task->batch_policy().planned_submissions));
  for (const HeldInfo& held : store_->Held()) {
    if (held.of.task != id) continue;
    v1::HeldBatch* batch = status->add_held();
    batch->set_key_id(std::string(AsView(held.of.key)));
    batch->set_waiting(static_cast<uint64_t>(held.submissions));
    batch->set_missing(static_cast<uint64_t>(
        std::max<int64_t>(0, gate->NeededIn(held.of.part) - held.submissions)));
    if (const auto epsilon = gate->EpsilonFor(held.submissions)) batch->set_epsilon(*epsilon);
    batch->set_reason(held.for_period ? gate->ExplainPeriod(held.of.part, clock_->Now())
                                      : gate->Explain(held.submissions, held.of.part));
    batch->set_period(held.of.part);
    if (entry.task->nodes() != nullptr && !held.for_period) batch->set_node(held.of.part);
    const std::optional<HpkeKey> key = catalog_->FindKey(held.of.key);
    absl::Time closes = key.has_value() ? key->closes : absl::InfiniteFuture();
    if (const auto& periods = entry.task->periods(); periods.has_value()) {
      closes = std::min(closes, periods->Closes(held.of.part));
    }
    if (closes != absl::InfiniteFuture()) batch->set_closes(absl::ToUnixSeconds(closes));
  }
  uint64_t waiting = 0;
  for (const Manifest& batch : store_->Outbox()) waiting += batch.of.task == id;
  status->set_waiting_delivery(waiting);
  return absl::OkStatus();
}

absl::Status OperatorService::Fill(const v1::GetShufflerStatusRequest& request,
                                   v1::ShufflerStatus* response) {
  std::vector<CatalogEntry> entries;
  if (request.task_id().empty()) {
    entries = catalog_->Tasks();
    std::sort(entries.begin(), entries.end(), [](const CatalogEntry& a, const CatalogEntry& b) {
      return a.task->name() < b.task->name();
    });
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request.task_id()));
    const auto entry = catalog_->Find(id);
    if (!entry.has_value()) return absl::NotFoundError("task_id names no task of this shuffler");
    entries.push_back(*entry);
  }
  if (const auto now = clock_->SureNow(); !now.ok()) {
    response->set_clock_doubt(std::string(now.status().message()));
  }
  response->set_collector_clock_doubt(clock_->PeerIsInDoubt());
  for (const v1::CollectorRestore& restore : catalog_->Restores()) {
    *response->add_restores() = restore;
  }
  for (const CatalogEntry& entry : entries) {
    TOMBOLA_RETURN_IF_ERROR(Describe(entry, response->add_tasks()));
  }
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* OperatorService::GetStatus(grpc::CallbackServerContext* context,
                                                     const v1::GetShufflerStatusRequest* request,
                                                     v1::ShufflerStatus* response) {
  return desk_->Answer(context, CheckRole(*context),
                       [this, request, response] { return Fill(*request, response); });
}

grpc::ServerUnaryReactor* OperatorService::GetMetrics(grpc::CallbackServerContext* context,
                                                      const v1::GetShufflerMetricsRequest*,
                                                      v1::ShufflerMetrics* response) {
  return desk_->Answer(context, CheckRole(*context), [this, response] {
    response->set_text(metrics_->Text());
    return absl::OkStatus();
  });
}

}  // namespace tombola::shuffler
