// Delivers released batches to the collector, then erases them.
#ifndef TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_
#define TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_

#include "absl/status/status.h"
#include "common/metrics/metrics.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// A batch stays in the outbox until the collector has acknowledged it, and every delivery sends the
// very same bytes in the very same order. Step is called by one thread.
class Forwarder {
 public:
  Forwarder(Store* store, CollectorLink* link, Metrics* metrics)
      : store_(store), link_(link), metrics_(metrics) {}

  // Tries every batch of the outbox once.
  void Step();

 private:
  absl::Status Deliver(const BatchTotals& batch);

  Store* const store_;
  CollectorLink* const link_;
  Metrics* const metrics_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_
