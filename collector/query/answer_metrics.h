// What is counted of answers that are asked for, over gRPC and over HTTP alike.
#ifndef TOMBOLA_COLLECTOR_QUERY_ANSWER_METRICS_H_
#define TOMBOLA_COLLECTOR_QUERY_ANSWER_METRICS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/metrics/cause_counters.h"
#include "common/metrics/metrics.h"

namespace tombola::collector {

// Thread-safe.
class AnswerMetrics {
 public:
  // `metrics` outlives this.
  explicit AnswerMetrics(Metrics& metrics);

  // Why an answer was not begun, or not given.
  void Refused(const absl::Status& status);
  // How long one took to compute.
  void Took(absl::Duration time) { seconds_.Observe(absl::ToDoubleSeconds(time)); }

 private:
  CauseCounters refused_;
  prometheus::Histogram& seconds_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_ANSWER_METRICS_H_
