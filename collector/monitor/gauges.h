// What the collector's operator sees of its tasks, keys and databases.
#ifndef TOMBOLA_COLLECTOR_MONITOR_GAUGES_H_
#define TOMBOLA_COLLECTOR_MONITOR_GAUGES_H_

#include <string>

#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/store/batch_ledger.h"
#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/metrics/metrics.h"

namespace tombola::collector {

// At most so many tasks have gauges of their own, the newest. Totals are of all.
inline constexpr size_t kMostTasksShown = 500;

struct GaugeParts {
  const Catalog* catalog = nullptr;
  const KeyRing* keys = nullptr;
  const BatchLedger* ledger = nullptr;
  const FairShare* answers = nullptr;
  const Clock* clock = nullptr;
  std::string directory;  // of the data
};

// Read when the metrics are asked for. Of what the shuffler still holds they tell what the shuffler
// tells, in steps of 5 %, and nothing finer. The parts outlive the last look.
void AddGauges(const GaugeParts& parts, Metrics& metrics);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_MONITOR_GAUGES_H_
