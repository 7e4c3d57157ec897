// What is counted of batches.
#ifndef TOMBOLA_COLLECTOR_INGEST_INTAKE_METRICS_H_
#define TOMBOLA_COLLECTOR_INGEST_INTAKE_METRICS_H_

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/store/batch_ledger.h"
#include "common/metrics/cause_counters.h"
#include "common/metrics/metrics.h"

namespace tombola::collector {

// Thread-safe.
class IntakeMetrics {
 public:
  // `metrics` outlives this.
  explicit IntakeMetrics(Metrics& metrics);

  // A batch is on disk, this long after its first byte.
  void Stored(const BatchRecord& record, absl::Duration took);
  // A batch was not taken, for this cause: one of those that docs/operate.md lists.
  void Refused(absl::string_view cause) { refused_.Add(cause); }
  // A worker has opened and counted a chunk for so long.
  void Opened(absl::Duration busy) { open_seconds_.Increment(absl::ToDoubleSeconds(busy)); }

 private:
  Metrics& metrics_;
  CauseCounters rejected_;
  CauseCounters refused_;
  prometheus::Counter& counted_;
  prometheus::Counter& open_seconds_;
  prometheus::Histogram& seconds_;
  prometheus::Gauge& last_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_INTAKE_METRICS_H_
