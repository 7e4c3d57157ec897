// Counters and gauges of a daemon, in Prometheus' text format.
#ifndef TOMBOLA_COMMON_METRICS_METRICS_H_
#define TOMBOLA_COMMON_METRICS_METRICS_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace tombola {

// Owns a registry. Thread-safe; counting costs an atomic addition. Labels are causes and states,
// never anything of a device. Counters are of the process: what must survive a restart is on disk.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;

  // The counter of this name and these labels, made at the first call; it lives as long as this.
  prometheus::Counter& Counter(const std::string& name, const std::string& help,
                               const Labels& labels = {});
  prometheus::Gauge& Gauge(const std::string& name, const std::string& help,
                           const Labels& labels = {});

  std::string Text() const;

 private:
  prometheus::Registry registry_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_METRICS_METRICS_H_
