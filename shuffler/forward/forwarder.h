// Delivers released batches to the collector, then erases them.
#ifndef TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_
#define TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_

#include <atomic>

#include "absl/status/status.h"
#include "common/base/clock.h"
#include "common/metrics/cause_counters.h"
#include "common/metrics/metrics.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/forward/pauses.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// A batch stays in the outbox until the collector has acknowledged it, and every delivery sends the
// very same bytes in the very same order. One that fails is tried again after a pause that grows
// (pauses.h). One that the collector does not know, and whose key it has struck from its list, ends
// as expired: nobody can open it. Step is called by one thread.
class Forwarder {
 public:
  Forwarder(const Catalog* catalog, Store* store, CollectorLink* link, const Clock* clock,
            Metrics* metrics);

  // Tries every batch of the outbox once whose pause is over.
  void Step();

  // The collector answers again: the next Step tries every batch. From any thread.
  void LinkIsBack() { link_is_back_ = true; }

 private:
  absl::Status Deliver(const Manifest& batch);
  // What the receipt says becomes the batch's end, after this many seconds.
  absl::Status End(const Manifest& batch, const v1::BatchReceipt& receipt, double seconds);
  absl::Status Expire(const Manifest& batch);
  // The task or the key of this batch was made after the copy that the collector came back from.
  bool IsLost(const Manifest& batch, const absl::Status& status) const;

  const Catalog* const catalog_;
  Store* const store_;
  CollectorLink* const link_;
  const Clock* const clock_;
  Metrics* const metrics_;
  CauseCounters failures_;
  prometheus::Histogram& seconds_;
  std::atomic<bool> link_is_back_ = false;
  Pauses pauses_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FORWARD_FORWARDER_H_
