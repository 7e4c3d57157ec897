#include "collector/ingest/ingest_service.h"

#include <utility>

#include "collector/ingest/delivery_reactor.h"
#include "common/rpc/peer.h"
#include "common/rpc/status.h"

namespace tombola::collector {
namespace {

constexpr int kMaxWaiting = 16;  // streams without a manifest, each with a message on its way in

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

IngestService::IngestService(const Parts& parts)
    : parts_(parts),
      progress_(parts.catalog, parts.clock),
      witnesses_(parts.catalog, parts.steady),
      waiting_({.calls = kMaxWaiting, .bytes = 0, .retry = absl::Seconds(1)}),
      deliveries_({.calls = parts.max_deliveries, .bytes = 0, .retry = absl::Seconds(1)}) {}

absl::Status IngestService::CheckRole(const grpc::CallbackServerContext& context) const {
  return rpc::RequireRole(*context.auth_context(), {kRoleShuffler}, parts_.revocation);
}

grpc::ServerUnaryReactor* IngestService::GetCatalog(grpc::CallbackServerContext* context,
                                                    const v1::GetCatalogRequest* request,
                                                    v1::Catalog* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return FinishNow(context, role);
  if (const auto told = witnesses_.Told(request->time().time(), request->time().signature())) {
    parts_.clock->Heard(told);
  }
  if (const auto now = parts_.clock->Testimony()) response->set_time(absl::ToUnixSeconds(*now));
  // Both grow with every change. Read before the content: a change in between is seen at the next
  // look.
  const uint64_t version = parts_.catalog->version() + parts_.keys->serial();
  auto keys = parts_.keys->SignedList();
  // Without a list that it can vouch for the caller keeps what it has.
  if (!keys.ok() || request->known_version() == version) {
    response->set_version(request->known_version());
    return FinishNow(context, absl::OkStatus());
  }
  response->set_version(version);
  for (const CatalogEntry& entry : parts_.catalog->Tasks()) {
    v1::CatalogTask* task = response->add_tasks();
    task->set_task(entry.task->bytes());
    task->set_closed(entry.closed);
  }
  *response->mutable_keys() = *std::move(keys);
  for (const CatalogRestore& restore : parts_.catalog->Restores()) {
    v1::CollectorRestore* wire = response->add_restores();
    wire->set_taken(absl::ToUnixSeconds(restore.taken));
    wire->set_restored(absl::ToUnixSeconds(restore.restored));
  }
  return FinishNow(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* IngestService::ReportProgress(grpc::CallbackServerContext* context,
                                                        const v1::SignedProgress* request,
                                                        v1::ProgressReceipt*) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return FinishNow(context, role);
  return FinishNow(context, progress_.Take(request->progress(), request->signature()));
}

grpc::ServerReadReactor<v1::BatchChunk>* IngestService::DeliverBatch(
    grpc::CallbackServerContext* context, v1::BatchReceipt* response) {
  const absl::Status role = CheckRole(*context);
  if (!role.ok()) return new RefusedStream(role);
  absl::StatusOr<FairShare::Ticket> waiting =
      waiting_.Enter(rpc::PeerDigest(*context->auth_context()), 0);
  if (!waiting.ok()) return new RefusedStream(waiting.status());
  return new DeliveryReactor({.intake = parts_.intake,
                              .pool = parts_.pool,
                              .header_watch = parts_.header_watch,
                              .watch = parts_.watch,
                              .refused = parts_.refused,
                              .deliveries = &deliveries_,
                              .revocation = parts_.revocation},
                             *std::move(waiting), context, response);
}

}  // namespace tombola::collector
