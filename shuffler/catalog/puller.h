// Keeps the shuffler's copy of the catalogue as the collector has it.
#ifndef TOMBOLA_SHUFFLER_CATALOG_PULLER_H_
#define TOMBOLA_SHUFFLER_CATALOG_PULLER_H_

#include <algorithm>
#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/watched_clock.h"
#include "common/crypto/ed25519_sign.h"
#include "common/metrics/metrics.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"

namespace tombola::shuffler {

inline constexpr absl::Duration kFirstPatience = absl::Seconds(10);
inline constexpr absl::Duration kMostPatience = absl::Minutes(10);

// For the next look, after one with this patience failed. Twice as long if the time was too short:
// a catalogue of 256 MiB on a slow line would else never come. It does not fall again, for the next
// change is as large.
inline absl::Duration PatienceAfter(const absl::Status& failure, absl::Duration patience) {
  return absl::IsDeadlineExceeded(failure) ? std::min(2 * patience, kMostPatience) : patience;
}

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
