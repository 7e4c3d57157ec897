// Deliveries that were not taken: counted, and never more than a line a second.
#ifndef TOMBOLA_COLLECTOR_INGEST_REFUSED_DELIVERIES_H_
#define TOMBOLA_COLLECTOR_INGEST_REFUSED_DELIVERIES_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/mutex.h"

namespace tombola::collector {

// A shuffler tries again after a pause, but whoever has the role can send bad headers as fast as
// the network takes them. Thread-safe.
class RefusedDeliveries {
 public:
  void Add(const absl::Status& status);
  // Once a second: logs how many were refused since the last call, with the first one's cause.
  void Step();

 private:
  Mutex mutex_;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status first_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_REFUSED_DELIVERIES_H_
