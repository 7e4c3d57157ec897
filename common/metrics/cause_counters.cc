#include "common/metrics/cause_counters.h"

namespace tombola {
namespace {

constexpr char kOther[] = "other";

}  // namespace

CauseCounters::CauseCounters(Metrics& metrics, const std::string& name, const std::string& help,
                             const std::vector<std::string>& causes) {
  const auto add = [&](const std::string& cause) {
    counters_[cause] = &metrics.Counter(name, help, {{"cause", cause}});
  };
  for (const std::string& cause : causes) add(cause);
  add(kOther);
}

prometheus::Counter& CauseCounters::Find(absl::string_view cause) const {
  const auto found = counters_.find(cause);
  return found == counters_.end() ? *counters_.at(kOther) : *found->second;
}

}  // namespace tombola
