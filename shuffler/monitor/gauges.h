// What the shuffler's operator sees of its store and its catalogue.
#ifndef TOMBOLA_SHUFFLER_MONITOR_GAUGES_H_
#define TOMBOLA_SHUFFLER_MONITOR_GAUGES_H_

#include <string>

#include "common/base/clock.h"
#include "common/base/fair_share.h"
#include "common/metrics/metrics.h"
#include "shuffler/batch/gates.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/limits.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// At most so many tasks have gauges of their own: those that hold most, then by id. Totals are of
// all.
inline constexpr size_t kMostTasksShown = 500;

struct GaugeParts {
  const Catalog* catalog = nullptr;
  const Store* store = nullptr;
  Gates* gates = nullptr;
  const FairShare* submissions = nullptr;  // in flight
  const FairShare* lookups = nullptr;      // likewise
  const Clock* clock = nullptr;
  StoreLimits limits;
  std::string store_directory;
};

// Read when the metrics are asked for, so that nothing is kept up for them while submissions come.
// Exact counts: these are for the shuffler's operator, not for the collector (docs/operate.md). The
// parts outlive the last look.
void AddGauges(const GaugeParts& parts, Metrics& metrics);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_MONITOR_GAUGES_H_
