// What the collector may know of batches that are still held.
#ifndef TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_
#define TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/crypto/ed25519_sign.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::shuffler {

// Held submissions as a share of the planned ones, rounded down to 5 percent, at most 100: coarse
// enough that arrival times stay with the shuffler.
uint32_t CoarsePercent(int64_t held, int64_t planned);

// Tells the collector about each task, signed, when its coarse numbers have changed, at most once a
// minute. Nothing is told while the clock is in doubt, and a clock that is put right after it was
// believed keeps nothing back: a minute is one of the steady clock. Of a stream it tells what is
// held for periods, and not what waits in longer nodes. Step is called by one thread.
class ProgressReporter {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    const Store* store = nullptr;
    std::function<absl::Status(const v1::SignedProgress&)> tell;  // the collector
    const crypto::SigningKey* signing_key = nullptr;
    const Clock* clock = nullptr;         // what time it was so
    const SteadyClock* steady = nullptr;  // how long ago it was told
  };
  explicit ProgressReporter(const Parts& parts) : parts_(parts) {}

  void Step();

 private:
  struct Told {
    uint32_t percent = 0;
    int64_t expired = 0;
    std::optional<absl::Duration> at;  // of the steady clock; nothing: never
    int64_t held = 0;                  // at the last look
    bool left = false;  // a batch has left since: the collector takes nothing to be held then
  };

  const Parts parts_;
  absl::flat_hash_map<TaskId, Told> told_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FORWARD_PROGRESS_H_
