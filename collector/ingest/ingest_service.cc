#include "collector/ingest/ingest_service.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "collector/ingest/delivery_reactor.h"
#include "common/base/retry_after.h"
#include "common/rpc/status.h"
#include "common/rpc/tls.h"

namespace tombola::collector {
namespace {

absl::Status CheckRole(const grpc::CallbackServerContext& context) {
  return rpc::RequireRole(*context.auth_context(), {kRoleShuffler});
}

grpc::ServerUnaryReactor* FinishNow(grpc::CallbackServerContext* context,
                                    const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

// A stream that is refused before anything is read.
class RefusedStream final : public grpc::ServerReadReactor<v1::BatchChunk> {
 public:
  explicit RefusedStream(const absl::Status& status) { Finish(rpc::ToGrpc(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

grpc::ServerUnaryReactor* IngestService::GetCatalog(grpc::CallbackServerContext* context,
                                                    const v1::GetCatalogRequest* request,
                                                    v1::Catalog* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return FinishNow(context, role);
  // Both grow with every change. Read before the content: a change in between is seen at the next
  // look.
  const uint64_t version = catalog_->version() + keys_->serial();
  response->set_version(version);
  if (request->known_version() == version) return FinishNow(context, absl::OkStatus());
  for (const CatalogEntry& entry : catalog_->Tasks()) {
    v1::CatalogTask* task = response->add_tasks();
    task->set_task(entry.task->bytes());
    task->set_closed(entry.closed);
  }
  *response->mutable_keys() = keys_->SignedList();
  return FinishNow(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* IngestService::ReportProgress(grpc::CallbackServerContext* context,
                                                        const v1::Progress* request,
                                                        v1::ProgressReceipt*) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return FinishNow(context, role);
  const auto id = IdFromBytes<TaskId>(request->task_id());
  if (!id.has_value()) {
    return FinishNow(context, absl::InvalidArgumentError("task_id must be 32 bytes"));
  }
  if (request->held_percent() > 100 ||
      request->expired() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return FinishNow(context, absl::InvalidArgumentError("held_percent must be at most 100"));
  }
  return FinishNow(context, catalog_->SetProgress(*id, request->held_percent(),
                                                  static_cast<int64_t>(request->expired())));
}

grpc::ServerReadReactor<v1::BatchChunk>* IngestService::DeliverBatch(
    grpc::CallbackServerContext* context, v1::BatchReceipt* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return new RefusedStream(role);
  if (++deliveries_ > max_deliveries_) {
    --deliveries_;
    return new RefusedStream(
        Refusal("deliveries", absl::StrCat("busy: ", max_deliveries_, " deliveries are under way"),
                absl::Seconds(1)));
  }
  return new DeliveryReactor(intake_, pool_, response, watch_, context, &deliveries_);
}

}  // namespace tombola::collector
