// Values that are read when somebody asks for them.
#ifndef TOMBOLA_COMMON_METRICS_READINGS_H_
#define TOMBOLA_COMMON_METRICS_READINGS_H_

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tombola {

// Not thread-safe.
class Readings {
 public:
  using Labels = std::map<std::string, std::string>;

  // Of one name, help and kind are those of its first reading; labels must differ.
  void Gauge(const std::string& name, const std::string& help, double value,
             const Labels& labels = {});
  void Counter(const std::string& name, const std::string& help, double value,
               const Labels& labels = {});

  std::vector<prometheus::MetricFamily> Take() && { return std::move(families_); }

 private:
  prometheus::ClientMetric& Add(const std::string& name, const std::string& help,
                                prometheus::MetricType kind, const Labels& labels);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_METRICS_READINGS_H_
