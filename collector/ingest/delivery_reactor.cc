#include "collector/ingest/delivery_reactor.h"

#include <memory>
#include <utility>

#include "common/base/retry_after.h"
#include "common/log/log.h"
#include "common/rpc/peer.h"
#include "common/rpc/status.h"

namespace tombola::collector {
namespace {

// Chunks of one delivery in memory: enough to keep every worker busy.
int MaxJobs(const WorkPool& pool) { return 2 * pool.threads(); }

v1::BatchState ToProto(BatchState state) {
  switch (state) {
    case BatchState::kCounted:
      return v1::BATCH_STATE_COUNTED;
    case BatchState::kQuarantined:
      return v1::BATCH_STATE_QUARANTINED;
    case BatchState::kExpired:
      return v1::BATCH_STATE_EXPIRED;
  }
  return v1::BATCH_STATE_UNSPECIFIED;
}

}  // namespace

DeliveryReactor::DeliveryReactor(const Parts& parts, FairShare::Ticket waiting,
                                 grpc::CallbackServerContext* context, v1::BatchReceipt* receipt)
    : parts_(parts), context_(context), receipt_(receipt), ticket_(std::move(waiting)) {
  place_.emplace(parts_.header_watch, context_);
  StartRead(&message_);
}

absl::Status DeliveryReactor::Admit(const Task& task) {
  absl::StatusOr<FairShare::Ticket> ticket = parts_.deliveries->Enter(task.shuffler_key(), 0);
  if (!ticket.ok()) {
    return Refusal("deliveries",
                   "busy: too many deliveries are under way, or as many as one shuffler may have",
                   absl::Seconds(1));
  }
  ticket_ = *std::move(ticket);
  place_.emplace(parts_.watch, context_);
  return absl::OkStatus();
}

absl::Status DeliveryReactor::CheckSender() const {
  return rpc::CheckNotRevoked(*context_->auth_context(), parts_.revocation);
}

void DeliveryReactor::OnReadDone(bool ok) {
  place_->Touch();
  if (ok && !delivery_.has_value()) {
    if (Begin()) StartRead(&message_);
    return;
  }
  if (ok && Take()) return;
  // The end of the stream, or a failure: conclude here or with the last job.
  bool conclude;
  {
    MutexLock lock(mutex_);
    ended_ = true;
    conclude = jobs_ == 0;
  }
  if (conclude) parts_.pool->Add([this](int) { Conclude(); });
}

bool DeliveryReactor::Begin() {
  if (!message_.has_header()) {
    Refuse(absl::InvalidArgumentError("the first message must be the header"));
    return false;
  }
  auto begun = parts_.intake->Begin(message_.header().manifest(), message_.header().signature(),
                                    [this](const Task& task) { return Admit(task); });
  if (!begun.ok()) {
    Refuse(begun.status());
    return false;
  }
  if (begun->known.has_value()) {
    Answer(*begun->known);
    Finish(grpc::Status::OK);
    return false;
  }
  delivery_ = std::move(begun->delivery);
  const Manifest& manifest = delivery_->manifest;
  log::Debug("delivery_begun", {{"task", ToHex(manifest.of.task)},
                                {"batch", ToHex(manifest.batch)},
                                {"messages", manifest.reports_out}});
  return true;
}

bool DeliveryReactor::Take() {
  absl::Status status = CheckSender();
  if (status.ok()) {
    status =
        message_.part_case() == v1::BatchChunk::kSealedReports
            ? parts_.intake->CheckChunk(&*delivery_, message_.sealed_reports())
            : absl::InvalidArgumentError("every message after the first must have sealed_reports");
  }
  if (!status.ok()) {
    MutexLock lock(mutex_);
    failure_ = std::move(status);
    return false;
  }
  auto chunk = std::make_shared<std::string>(std::move(*message_.mutable_sealed_reports()));
  bool read_now;
  {
    MutexLock lock(mutex_);
    ++jobs_;
    read_now = jobs_ < MaxJobs(*parts_.pool);
    read_wanted_ = !read_now;
  }
  parts_.pool->Add([this, chunk](int worker) {
    parts_.intake->Open(*delivery_, *chunk, worker);
    JobDone();
  });
  if (read_now) StartRead(&message_);
  return true;
}

void DeliveryReactor::JobDone() {
  place_->Touch();
  bool read = false, conclude = false;
  {
    MutexLock lock(mutex_);
    --jobs_;
    read = std::exchange(read_wanted_, false);
    conclude = ended_ && jobs_ == 0;
  }
  if (read) StartRead(&message_);
  if (conclude) Conclude();
}

void DeliveryReactor::Conclude() {
  absl::Status failure;
  {
    MutexLock lock(mutex_);
    failure = failure_;
  }
  if (failure.ok() && !delivery_.has_value()) {
    failure = absl::InvalidArgumentError("the first message must be the header");
  }
  if (failure.ok()) failure = CheckSender();
  if (failure.ok()) {
    const auto record = parts_.intake->Finish(*delivery_);
    failure = record.status();
    if (record.ok()) Answer(*record);
  }
  if (!failure.ok()) return Refuse(failure);
  Finish(grpc::Status::OK);
}

void DeliveryReactor::Refuse(const absl::Status& status) {
  parts_.refused->Add(status);
  Finish(rpc::ToGrpc(status));
}

void DeliveryReactor::Answer(const BatchRecord& record) {
  receipt_->set_batch_id(std::string(AsView(record.batch)));
  receipt_->set_state(ToProto(record.state));
  receipt_->set_good(static_cast<uint64_t>(record.good));
  receipt_->set_bad(static_cast<uint64_t>(record.rejected.total()));
}

}  // namespace tombola::collector
