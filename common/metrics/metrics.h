// Counters, gauges and histograms of a daemon, in Prometheus' text format.
#ifndef TOMBOLA_COMMON_METRICS_METRICS_H_
#define TOMBOLA_COMMON_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/metrics/readings.h"

namespace tombola {

// Owns a registry. Thread-safe; counting costs an atomic addition, observing a lock: histograms are
// for commits, batches and answers, never for one submission. Labels are causes, states and tasks,
// never anything of a device. Counters are of the process: what must survive a restart is on disk.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;
  // Told to read what is cheaper to look up than to keep up.
  using Look = std::function<void(Readings&)>;

  // The counter of this name and these labels, made at the first call; it lives as long as this.
  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Labels& labels = {});
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help,
                           const Labels& labels = {});
  // Of seconds, with buckets from a thousandth to an hour.
  prometheus::Histogram& Seconds(const std::string& name, const std::string& help);

  // Looks whenever somebody asks for the text, on that caller's thread. What it looks at must
  // outlive the last Text.
  void AddLook(Look look);

  std::string Text() const;

 private:
  prometheus::Registry registry_;
  mutable Mutex mutex_;
  std::vector<Look> looks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_METRICS_METRICS_H_
