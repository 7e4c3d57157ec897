#include "collector/ingest/refused_deliveries.h"

#include <utility>

#include "common/log/log.h"

namespace tombola::collector {

void RefusedDeliveries::Add(const absl::Status& status) {
  MutexLock lock(mutex_);
  if (count_++ == 0) first_ = status;
}

void RefusedDeliveries::Step() {
  int64_t count = 0;
  absl::Status first;
  {
    MutexLock lock(mutex_);
    count = std::exchange(count_, 0);
    first = std::exchange(first_, absl::OkStatus());
  }
  if (count > 0) {
    log::Warning("delivery_refused", {{"count", count}, {"status", first.ToString()}});
  }
}

}  // namespace tombola::collector
