#include "collector/ingest/delivery_reactor.h"

#include <memory>
#include <utility>

#include "common/log/log.h"
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

DeliveryReactor::DeliveryReactor(const Intake* intake, WorkPool* pool, v1::BatchReceipt* receipt,
                                 rpc::CallWatch* watch, grpc::CallbackServerContext* context,
                                 std::atomic<int>* under_way)
    : intake_(intake),
      pool_(pool),
      receipt_(receipt),
      under_way_(under_way),
      place_(watch, context) {
  StartRead(&message_);
}

void DeliveryReactor::OnReadDone(bool ok) {
  place_.Touch();
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
  if (conclude) pool_->Add([this](int) { Conclude(); });
}

bool DeliveryReactor::Begin() {
  if (!message_.has_header()) {
    Refuse(absl::InvalidArgumentError("the first message must be the header"));
    return false;
  }
  auto begun = intake_->Begin(message_.header().manifest(), message_.header().signature());
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
  log::Debug("delivery_begun", {{"task", ToHex(manifest.task)},
                                {"batch", ToHex(manifest.batch)},
                                {"reports", manifest.reports_out}});
  return true;
}

bool DeliveryReactor::Take() {
  absl::Status status =
      message_.part_case() == v1::BatchChunk::kSealedReports
          ? intake_->CheckChunk(&*delivery_, message_.sealed_reports())
          : absl::InvalidArgumentError("every message after the first must have sealed_reports");
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
    read_now = jobs_ < MaxJobs(*pool_);
    read_wanted_ = !read_now;
  }
  pool_->Add([this, chunk](int worker) {
    intake_->Open(*delivery_, *chunk, worker);
    JobDone();
  });
  if (read_now) StartRead(&message_);
  return true;
}

void DeliveryReactor::JobDone() {
  place_.Touch();
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
  if (failure.ok()) {
    const auto record = intake_->Finish(*delivery_);
    failure = record.status();
    if (record.ok()) Answer(*record);
  }
  if (!failure.ok()) return Refuse(failure);
  Finish(grpc::Status::OK);
}

void DeliveryReactor::Refuse(const absl::Status& status) {
  // The shuffler tries again after a pause, so that this is no flood.
  log::Warning("delivery_refused", {{"status", status.ToString()}});
  Finish(rpc::ToGrpc(status));
}

void DeliveryReactor::Answer(const BatchRecord& record) {
  receipt_->set_batch_id(std::string(AsView(record.batch)));
  receipt_->set_state(ToProto(record.state));
  receipt_->set_good(static_cast<uint64_t>(record.good));
  receipt_->set_bad(static_cast<uint64_t>(record.rejected.total()));
}

}  // namespace tombola::collector
