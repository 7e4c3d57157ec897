#include "common/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <iterator>
#include <utility>

namespace tombola {

prometheus::Counter& Metrics::Counter(const std::string& name, const std::string& help,
                                      const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Gauge& Metrics::Gauge(const std::string& name, const std::string& help,
                                  const Labels& labels) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add(labels);
}

prometheus::Histogram& Metrics::Seconds(const std::string& name, const std::string& help) {
  static const prometheus::Histogram::BucketBoundaries bounds = {
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
      1,     2.5,    5,     10,   30,    60,   300, 900,  3600};
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_).Add({}, bounds);
}

void Metrics::AddLook(Look look) {
  MutexLock lock(mutex_);
  looks_.push_back(std::move(look));
}

std::string Metrics::Text() const {
  std::vector<Look> looks;
  {
    MutexLock lock(mutex_);
    looks = looks_;
  }
  Readings readings;
  for (const Look& look : looks) look(readings);
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::vector<prometheus::MetricFamily> read = std::move(readings).Take();
  families.insert(families.end(), std::make_move_iterator(read.begin()),
                  std::make_move_iterator(read.end()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace tombola
