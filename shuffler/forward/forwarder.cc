#include "shuffler/forward/forwarder.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "absl/strings/ascii.h"
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

void CountDelivered(Metrics& metrics, const char* state, int64_t batches, int64_t submissions) {
  metrics
      .Counter("tombola_shuffler_batches_delivered_total",
               "Batches that the collector acknowledged, by what it made of them.",
               {{"state", state}})
      .Increment(static_cast<double>(batches));
  metrics
      .Counter("tombola_shuffler_submissions_delivered_total", "Submissions in them.",
               {{"state", state}})
      .Increment(static_cast<double>(submissions));
}

}  // namespace

Forwarder::Forwarder(const Catalog* catalog, Store* store, CollectorLink* link, const Clock* clock,
                     Metrics* metrics)
    : catalog_(catalog),
      store_(store),
      link_(link),
      clock_(clock),
      metrics_(metrics),
      failures_(*metrics, "tombola_shuffler_deliveries_failed_total",
                "Deliveries that will be repeated, by the status of the attempt.",
                {"unavailable", "deadline_exceeded", "resource_exhausted", "invalid_argument",
                 "not_found", "already_exists", "unauthenticated", "permission_denied", "internal",
                 "data_loss", "cancelled"}),
      seconds_(metrics->Seconds("tombola_shuffler_delivery_seconds",
                                "From the first byte of a batch to the collector's receipt.")) {
  for (const char* state : {"counted", "quarantined", "expired"}) {
    CountDelivered(*metrics, state, 0, 0);
  }
}

void Forwarder::Step() {
  if (link_is_back_.exchange(false)) pauses_.Reset();
  for (const Manifest& batch : store_->Outbox()) {
    if (!pauses_.Due(batch.batch, clock_->Now())) continue;
    absl::Status status = Deliver(batch);
    if (IsLost(batch, status)) status = Expire(batch);
    if (status.ok()) {
      pauses_.Succeeded(batch.batch);
      continue;
    }
    pauses_.Failed(batch.batch, clock_->Now());
    failures_.Add(absl::AsciiStrToLower(absl::StatusCodeToString(status.code())));
    log::Warning("delivery_failed", {{"batch", ToHex(batch.batch)}, {"status", status.ToString()}});
  }
}

bool Forwarder::IsLost(const Manifest& batch, const absl::Status& status) const {
  return absl::IsNotFound(status) &&
         catalog_->StandingOf(batch.of.key, clock_->Now()) == KeyStanding::kDestroyed;
}

absl::Status Forwarder::Expire(const Manifest& batch) {
  TOMBOLA_RETURN_IF_ERROR(store_->Erase(batch.batch, BatchEnd::kExpired));
  CountDelivered(*metrics_, "expired", 1, batch.submissions);
  CountExpired(*metrics_, ExpiryCause::kKeyDestroyed, batch.submissions);
  log::Warning("batch_expired", {{"task", ToHex(batch.of.task)},
                                 {"batch", ToHex(batch.batch)},
                                 {"submissions", batch.submissions}});
  return absl::OkStatus();
}

absl::Status Forwarder::Deliver(const Manifest& batch) {
  const auto began = std::chrono::steady_clock::now();
  log::Debug("delivery_begun", {{"task", ToHex(batch.of.task)},
                                {"batch", ToHex(batch.batch)},
                                {"messages", batch.reports_out}});
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
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return End(batch, receipt, took.count());
}

absl::Status Forwarder::End(const Manifest& batch, const v1::BatchReceipt& receipt,
                            double seconds) {
  if (receipt.batch_id() != AsView(batch.batch)) {
    return absl::InternalError("the collector's receipt is for another batch");
  }
  const bool expired = receipt.state() == v1::BATCH_STATE_EXPIRED;
  if (!expired && receipt.state() != v1::BATCH_STATE_COUNTED &&
      receipt.state() != v1::BATCH_STATE_QUARANTINED) {
    return absl::InternalError("the collector's receipt has no state that is known here");
  }
  if (expired) {
    TOMBOLA_RETURN_IF_ERROR(Expire(batch));
    seconds_.Observe(seconds);
    return absl::OkStatus();
  }
  TOMBOLA_RETURN_IF_ERROR(store_->Erase(batch.batch, BatchEnd::kForwarded));
  const bool quarantined = receipt.state() == v1::BATCH_STATE_QUARANTINED;
  CountDelivered(*metrics_, quarantined ? "quarantined" : "counted", 1, batch.submissions);
  seconds_.Observe(seconds);
  log::Write(quarantined ? log::Level::kWarning : log::Level::kInfo, "batch_delivered",
             {{"task", ToHex(batch.of.task)},
              {"batch", ToHex(batch.batch)},
              {"submissions", batch.submissions},
              {"good", static_cast<int64_t>(receipt.good())},
              {"bad", static_cast<int64_t>(receipt.bad())},
              {"quarantined", quarantined ? 1 : 0},
              {"seconds", seconds}});
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
