#include "collector/ingest/intake_metrics.h"

namespace tombola::collector {
namespace {

prometheus::Counter& Batches(Metrics& metrics, BatchState state) {
  return metrics.Counter("tombola_collector_batches_total", "Batches put on disk, by state.",
                         {{"state", NameOf(state)}});
}

}  // namespace

IntakeMetrics::IntakeMetrics(Metrics& metrics)
    : metrics_(metrics),
      rejected_(metrics, "tombola_collector_reports_rejected_total", "Bad reports, by cause.",
                {"unopened", "malformed", "out_of_range"}),
      counted_(metrics.Counter("tombola_collector_reports_counted_total",
                               "Good reports in counted batches.")),
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
  rejected_.Add("unopened", static_cast<double>(record.rejected.unopened));
  rejected_.Add("malformed", static_cast<double>(record.rejected.malformed));
  rejected_.Add("out_of_range", static_cast<double>(record.rejected.out_of_range));
  if (record.state == BatchState::kCounted) counted_.Increment(static_cast<double>(record.good));
  seconds_.Observe(absl::ToDoubleSeconds(took));
  if (!record.finished.has_value()) return;
  // To the minute, as the ledger has it.
  last_.Set(static_cast<double>(absl::ToUnixSeconds(*record.finished) / 60 * 60));
}

}  // namespace tombola::collector
