#include "collector/ingest/intake_metrics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tombola::collector {
namespace {

prometheus::Counter& Batches(Metrics& metrics, BatchState state) {
  return metrics.Counter("tombola_collector_batches_total", "Batches put on disk, by state.",
                         {{"state", NameOf(state)}});
}

std::vector<std::string> CauseNames() {
  std::vector<std::string> names;
  for (const RejectionCause& cause : kRejectionCauses) names.push_back(cause.name);
  return names;
}

}  // namespace

IntakeMetrics::IntakeMetrics(Metrics& metrics)
    : metrics_(metrics),
      rejected_(metrics, "tombola_collector_messages_rejected_total", "Bad messages, by cause.",
                CauseNames()),
      refused_(metrics, "tombola_collector_batches_refused_total",
               "Deliveries of which nothing was kept, by cause.",
               {"manifest", "signature", "small_batch", "unknown_task", "unknown_key",
                "other_manifest", "reports"}),
      counted_(
          metrics.Counter("tombola_collector_messages_counted_total",
                          "Good messages in counted batches; a submission has one or several.")),
      open_seconds_(metrics.Counter("tombola_collector_open_seconds_total",
                                    "Time of threads that opened and counted reports.")),
      seconds_(metrics.Seconds("tombola_collector_batch_seconds",
                               "From a batch's first byte until it is on disk.")),
      last_(metrics.Gauge("tombola_collector_last_batch_timestamp_seconds",
                          "The minute in which a batch was last put on disk; 0: none yet.")) {
  for (const auto state : {BatchState::kCounted, BatchState::kQuarantined, BatchState::kExpired}) {
    Batches(metrics, state);
  }
}

void IntakeMetrics::Stored(const BatchRecord& record, absl::Duration took) {
  Batches(metrics_, record.state).Increment();
  for (const RejectionCause& cause : kRejectionCauses) {
    rejected_.Add(cause.name, static_cast<double>(record.rejected.*cause.count));
  }
  if (record.state == BatchState::kCounted) counted_.Increment(static_cast<double>(record.good));
  seconds_.Observe(absl::ToDoubleSeconds(took));
  if (!record.finished.has_value()) return;
  // To the minute, as the ledger has it.
  const int64_t minutes = absl::ToUnixSeconds(*record.finished) / 60;
  last_.Set(static_cast<double>(60 * minutes));
}

}  // namespace tombola::collector
