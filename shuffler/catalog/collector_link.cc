#include "shuffler/catalog/collector_link.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/status.h"

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
                                                      std::shared_ptr<rpc::TlsIdentity> identity) {
  return std::unique_ptr<CollectorLink>(new CollectorLink(address, std::move(identity)));
}

CollectorLink::CollectorLink(std::string address, std::shared_ptr<rpc::TlsIdentity> identity)
    : address_(std::move(address)),
      identity_(std::move(identity)),
      running_(std::make_shared<Running>()) {}

std::shared_ptr<v1::CollectorIngest::Stub> CollectorLink::Stub() {
  const std::shared_ptr<const rpc::TlsMaterial> material = identity_->Current();
  MutexLock lock(mutex_);
  if (stub_ == nullptr || material->generation > generation_) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(512 << 20);  // the whole catalogue
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 60000);
    stub_ = v1::CollectorIngest::NewStub(
        grpc::CreateCustomChannel(address_, rpc::ChannelTlsOf(*material), arguments));
    generation_ = material->generation;
  }
  return stub_;
}

absl::StatusOr<v1::Catalog> CollectorLink::GetCatalog(uint64_t known_version,
                                                      absl::Duration timeout) {
  Call call(running_, timeout);
  v1::GetCatalogRequest request;
  request.set_known_version(known_version);
  v1::Catalog catalog;
  TOMBOLA_RETURN_IF_ERROR(rpc::FromGrpc(Stub()->GetCatalog(call.context(), request, &catalog)));
  return catalog;
}

absl::Status CollectorLink::ReportProgress(const v1::Progress& progress, absl::Duration timeout) {
  Call call(running_, timeout);
  v1::ProgressReceipt receipt;
  return rpc::FromGrpc(Stub()->ReportProgress(call.context(), progress, &receipt));
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
  TOMBOLA_RETURN_IF_ERROR(rpc::FromGrpc(writer->Finish()));
  return receipt;
}

void CollectorLink::Cancel() {
  MutexLock lock(running_->mutex);
  running_->cancelled = true;
  for (grpc::ClientContext* context : running_->contexts) context->TryCancel();
}

}  // namespace tombola::shuffler
