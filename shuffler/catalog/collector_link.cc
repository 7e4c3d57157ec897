#include "shuffler/catalog/collector_link.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/rpc/channel.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/peer.h"
#include "common/rpc/status.h"
#include "common/task/catalog_bound.h"

namespace tombola::shuffler {

// The contexts of the calls under way, so that all can be cancelled.
struct CollectorLink::Running {
  Mutex mutex;
  bool cancelled ABSL_GUARDED_BY(mutex) = false;
  absl::flat_hash_set<grpc::ClientContext*> contexts ABSL_GUARDED_BY(mutex);
};

// A fresh context with a deadline, listed while it lives.
class CollectorLink::Call {
 public:
  Call(std::shared_ptr<Running> running, absl::Duration timeout) : running_(std::move(running)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
    MutexLock lock(running_->mutex);
    running_->contexts.insert(&context_);
    if (running_->cancelled) context_.TryCancel();
  }
  ~Call() {
    MutexLock lock(running_->mutex);
    running_->contexts.erase(&context_);
  }
  grpc::ClientContext* context() { return &context_; }

 private:
  std::shared_ptr<Running> running_;
  grpc::ClientContext context_;
};

std::unique_ptr<CollectorLink> CollectorLink::Connect(const std::string& address,
                                                      std::shared_ptr<tls::Identity> identity,
                                                      std::shared_ptr<tls::Revocation> revocation) {
  return std::unique_ptr<CollectorLink>(
      new CollectorLink(address, std::move(identity), std::move(revocation)));
}

CollectorLink::CollectorLink(std::string address, std::shared_ptr<tls::Identity> identity,
                             std::shared_ptr<tls::Revocation> revocation)
    : address_(std::move(address)),
      identity_(std::move(identity)),
      revocation_(std::move(revocation)),
      running_(std::make_shared<Running>()) {}

std::shared_ptr<v1::CollectorIngest::Stub> CollectorLink::Stub() {
  const std::shared_ptr<const tls::Material> material = identity_->Current();
  MutexLock lock(mutex_);
  if (stub_ == nullptr || material->generation > generation_) {
    stub_ = v1::CollectorIngest::NewStub(
        rpc::OpenChannel(address_, rpc::ChannelTlsOf(*material),
                         {.max_message_bytes = kMaxCatalogMessageBytes,
                          .own_connection = true,  // a new stub is a new handshake
                          .longest_backoff = absl::Seconds(5),
                          .keepalive = absl::Minutes(1)}));
    generation_ = material->generation;
  }
  return stub_;
}

absl::Status CollectorLink::Outcome(const grpc::Status& status,
                                    const grpc::ClientContext& context) {
  TOMBOLA_RETURN_IF_ERROR(rpc::FromGrpc(status));
  const absl::Status revoked = rpc::CheckNotRevoked(*context.auth_context(), revocation_.get());
  if (!revoked.ok()) {
    MutexLock lock(mutex_);
    stub_ = nullptr;
  }
  return revoked;
}

absl::StatusOr<v1::Catalog> CollectorLink::GetCatalog(uint64_t known_version,
                                                      std::optional<v1::SignedTime> now,
                                                      absl::Duration timeout) {
  Call call(running_, timeout);
  v1::GetCatalogRequest request;
  request.set_known_version(known_version);
  if (now.has_value()) *request.mutable_time() = *std::move(now);
  v1::Catalog catalog;
  TOMBOLA_RETURN_IF_ERROR(
      Outcome(Stub()->GetCatalog(call.context(), request, &catalog), *call.context()));
  return catalog;
}

absl::Status CollectorLink::ReportProgress(const v1::SignedProgress& progress,
                                           absl::Duration timeout) {
  Call call(running_, timeout);
  v1::ProgressReceipt receipt;
  return Outcome(Stub()->ReportProgress(call.context(), progress, &receipt), *call.context());
}

absl::StatusOr<v1::BatchReceipt> CollectorLink::DeliverBatch(
    const v1::BatchHeader& header, const std::function<absl::StatusOr<std::string>()>& next,
    absl::Duration timeout) {
  Call call(running_, timeout);
  v1::BatchReceipt receipt;
  const auto stub = Stub();  // outlives the stream
  const auto writer = stub->DeliverBatch(call.context(), &receipt);
  v1::BatchChunk chunk;
  *chunk.mutable_header() = header;
  // A write that fails means that the collector has answered already: Finish says what.
  bool open = writer->Write(chunk);
  while (open) {
    absl::StatusOr<std::string> reports = next();
    if (!reports.ok()) {
      call.context()->TryCancel();
      (void)writer->Finish();
      return std::move(reports).status();
    }
    if (reports->empty()) break;
    chunk.set_sealed_reports(*std::move(reports));
    open = writer->Write(chunk);
  }
  writer->WritesDone();
  TOMBOLA_RETURN_IF_ERROR(Outcome(writer->Finish(), *call.context()));
  return receipt;
}

void CollectorLink::Cancel() {
  MutexLock lock(running_->mutex);
  running_->cancelled = true;
  for (grpc::ClientContext* context : running_->contexts) context->TryCancel();
}

}  // namespace tombola::shuffler
