// Takes what is held through the gate.
#ifndef TOMBOLA_SHUFFLER_BATCH_RELEASER_H_
#define TOMBOLA_SHUFFLER_BATCH_RELEASER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/base/clock.h"
#include "common/crypto/ed25519_sign.h"
#include "common/metrics/metrics.h"
#include "common/random/random_source.h"
#include "shuffler/batch/gates.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/expired.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// Asks the gate about every held batch and does what it says: release (permute, sign a manifest,
// put into the outbox) or destroy. When the window of a batch's key closes, that is its end as a
// task's end is: it leaves if its guarantee holds, else it is destroyed. Step is called by one
// thread; everything it needs comes in as an argument and outlives it.
class Releaser {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    Gates* gates = nullptr;
    Store* store = nullptr;
    const crypto::SigningKey* signing_key = nullptr;
    const Clock* clock = nullptr;
    // A fresh source for each batch.
    std::function<std::unique_ptr<RandomSource>()> make_random;
    Metrics* metrics = nullptr;
  };

  explicit Releaser(Parts parts);

  // One look at everything that is held. True if a batch was put into the outbox.
  bool Step();

 private:
  struct Moment {
    bool interval_ended = false;
    bool over = false;
  };

  Moment Look(const CatalogEntry& entry, const Gate& gate, absl::Time now);
  bool Release(const HeldInfo& held, const std::shared_ptr<const Task>& task);
  absl::StatusOr<FakeReports> FakesFor(const HeldInfo& held,
                                       const std::shared_ptr<const Task>& task,
                                       RandomSource& random) const;
  void Destroy(const HeldInfo& held, ExpiryCause cause);
  void ForgetOldWindows(const Task& task, absl::Time now);

  const Parts parts_;
  prometheus::Counter& batches_;
  prometheus::Counter& submissions_;
  prometheus::Counter& fakes_;
  prometheus::Counter& failures_;
  prometheus::Gauge& last_;
  prometheus::Histogram& seconds_;
  // The intervals that had ended, and the window, at the last look.
  absl::flat_hash_map<TaskId, int64_t> intervals_;
  absl::flat_hash_map<TaskId, uint64_t> windows_;
};

// The bytes of a serialised tombola.v1.BatchHeader for a batch with these totals.
absl::StatusOr<std::string> SignManifest(const BatchTotals& totals, const crypto::SigningKey& key);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_RELEASER_H_
