// Keeps the shuffler's copy of the catalogue as the collector has it.
#ifndef TOMBOLA_SHUFFLER_CATALOG_PULLER_H_
#define TOMBOLA_SHUFFLER_CATALOG_PULLER_H_

#include <functional>
#include <optional>

#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/crypto/ed25519_sign.h"
#include "common/metrics/metrics.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/catalog/patience.h"

namespace tombola::shuffler {

// Asks the collector and tells it this shuffler's time, unless that is in doubt; hears the
// collector's. Logs collector_away and collector_back, once each, catalog_updated,
// catalog_incomplete and collector_restored. Used by one thread.
class CatalogPuller {
 public:
  // All of it outlives this.
  struct Parts {
    Catalog* catalog = nullptr;
    CollectorLink* link = nullptr;
    WatchedClock* clock = nullptr;
    const SteadyClock* steady = nullptr;
    const crypto::SigningKey* signing_key = nullptr;
    Metrics* metrics = nullptr;
    std::function<void()> link_is_back;  // the collector answered after it had not
    std::function<void()> changed;       // the catalogue is another than before
  };

  explicit CatalogPuller(Parts parts);

  // One look.
  void Step();

 private:
  // What the collector is told of this clock; nothing: it is in doubt.
  std::optional<v1::SignedTime> Testimony() const;
  void Failed(const absl::Status& status);
  void Update(const v1::Catalog& fresh);

  const Parts parts_;
  prometheus::Counter& failures_;
  prometheus::Gauge& last_fetch_;
  bool link_failed_ = false;                  // at the last look
  absl::Duration patience_ = kFirstPatience;  // at the next
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_PULLER_H_
