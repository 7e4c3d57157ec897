#include "shuffler/forward/forwarder.h"

#include <algorithm>
#include <string>

#include "absl/time/time.h"
#include "common/base/status_macros.h"
#include "common/log/log.h"
#include "shuffler/store/expired.h"

namespace tombola::shuffler {
namespace {

// A tenth of a second of work for the collector: small enough that its threads end together.
constexpr int64_t kChunkBytes = 128 << 10;

// The collector opens a report in well under a millisecond.
absl::Duration Patience(int64_t reports) {
  return absl::Minutes(10) + reports * absl::Milliseconds(1);
}

}  // namespace

void Forwarder::Step() {
  if (link_is_back_.exchange(false)) pauses_.Reset();
  for (const BatchTotals& batch : store_->Outbox()) {
    if (!pauses_.Due(batch.batch, clock_->Now())) continue;
    const absl::Status status = Deliver(batch);
    if (status.ok()) {
      pauses_.Succeeded(batch.batch);
      continue;
    }
    pauses_.Failed(batch.batch, clock_->Now());
    metrics_
        ->Counter("tombola_shuffler_deliveries_failed_total", "Deliveries that will be repeated.")
        .Increment();
    log::Warning("delivery_failed", {{"batch", ToHex(batch.batch)}, {"status", status.ToString()}});
  }
}

absl::Status Forwarder::Deliver(const BatchTotals& batch) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string bytes, store_->ReadManifest(batch.batch));
  v1::BatchHeader header;
  if (!header.ParseFromString(bytes)) return absl::DataLossError("the stored manifest is damaged");
  TOMBOLA_ASSIGN_OR_RETURN(const auto reader, store_->Read(batch.batch));
  const int64_t chunk_bytes = std::max(kChunkBytes, reader->record_bytes());
  TOMBOLA_ASSIGN_OR_RETURN(
      const v1::BatchReceipt receipt,
      link_->DeliverBatch(
          header,
          [&]() -> absl::StatusOr<std::string> {
            TOMBOLA_ASSIGN_OR_RETURN(const auto chunk, reader->Next(chunk_bytes));
            return std::string(reinterpret_cast<const char*>(chunk.data()), chunk.size());
          },
          Patience(batch.reports_out)));
  return End(batch, receipt);
}

absl::Status Forwarder::End(const BatchTotals& batch, const v1::BatchReceipt& receipt) {
  if (receipt.batch_id() != AsView(batch.batch)) {
    return absl::InternalError("the collector's receipt is for another batch");
  }
  const bool expired = receipt.state() == v1::BATCH_STATE_EXPIRED;
  if (!expired && receipt.state() != v1::BATCH_STATE_COUNTED &&
      receipt.state() != v1::BATCH_STATE_QUARANTINED) {
    return absl::InternalError("the collector's receipt has no state that is known here");
  }
  TOMBOLA_RETURN_IF_ERROR(
      store_->Erase(batch.batch, expired ? BatchEnd::kExpired : BatchEnd::kForwarded));
  if (expired) {
    CountExpired(*metrics_, batch.submissions);
    log::Warning("batch_expired",
                 {{"batch", ToHex(batch.batch)}, {"submissions", batch.submissions}});
    return absl::OkStatus();
  }
  metrics_->Counter("tombola_shuffler_batches_delivered_total", "Batches acknowledged and erased.")
      .Increment();
  log::Info("batch_delivered",
            {{"batch", ToHex(batch.batch)},
             {"good", static_cast<int64_t>(receipt.good())},
             {"bad", static_cast<int64_t>(receipt.bad())},
             {"quarantined", receipt.state() == v1::BATCH_STATE_QUARANTINED ? 1 : 0}});
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
