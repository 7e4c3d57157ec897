#include "common/metrics/readings.h"

#include <algorithm>

namespace tombola {

prometheus::ClientMetric& Readings::Add(const std::string& name, const std::string& help,
                                        prometheus::MetricType kind, const Labels& labels) {
  auto family = std::find_if(families_.begin(), families_.end(),
                             [&](const auto& known) { return known.name == name; });
  if (family == families_.end()) {
    prometheus::MetricFamily fresh;
    fresh.name = name;
    fresh.help = help;
    fresh.type = kind;
    family = families_.insert(families_.end(), std::move(fresh));
  }
  prometheus::ClientMetric& metric = family->metric.emplace_back();
  for (const auto& [label, value] : labels) metric.label.push_back({label, value});
  return metric;
}

void Readings::Gauge(const std::string& name, const std::string& help, double value,
                     const Labels& labels) {
  Add(name, help, prometheus::MetricType::Gauge, labels).gauge.value = value;
}

void Readings::Counter(const std::string& name, const std::string& help, double value,
                       const Labels& labels) {
  Add(name, help, prometheus::MetricType::Counter, labels).counter.value = value;
}

}  // namespace tombola
