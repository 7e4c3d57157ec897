// Takes what is held through the gate.
#ifndef TOMBOLA_SHUFFLER_BATCH_RELEASER_H_
#define TOMBOLA_SHUFFLER_BATCH_RELEASER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "common/base/batch_key.h"
#include "common/base/clock.h"
#include "common/crypto/ed25519_sign.h"
#include "common/metrics/metrics.h"
#include "common/random/random_source.h"
#include "shuffler/batch/gates.h"
#include "shuffler/batch/intervals.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/release/batch_release.h"
#include "shuffler/store/expired.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

// Asks the gate about every held batch and does what it says: release (batch_release.h) or destroy.
// When its period is over or the window of its key closes, that is a batch's end as a task's end
// is: it leaves if its guarantee holds, else it is destroyed. While the clock is in doubt no
// interval, window, key or task ends and nothing is destroyed: what is full leaves, no more. Step
// is called by one thread; everything it needs comes in as an argument and outlives it.
//
// Of a stream, what is held for a period that is over is first scattered to its nodes. A node ends
// with its last period, and is decided once no period that it covers is waiting for that: it leaves
// with as many submissions as it needs, or it is void and destroyed. Where a task is closed before
// its end, its present period is over, and with it every node: those that hold as many as they need
// leave. A node's guarantee is for a number of submissions, whichever of its periods they are from,
// and after the close there are no others; so that this takes nothing but the counts, the clock
// and that the task is closed, as for every task.
class Releaser {
 public:
  struct Parts {
    const Catalog* catalog = nullptr;
    Gates* gates = nullptr;
    Store* store = nullptr;
    const BatchRelease* release = nullptr;
    Intervals* intervals = nullptr;
    const crypto::SigningKey* signing_key = nullptr;
    const Clock* clock = nullptr;
    // A fresh source for each batch.
    std::function<std::unique_ptr<RandomSource>()> make_random;
    Metrics* metrics = nullptr;
  };

  explicit Releaser(Parts parts);

  // One look at everything that is held. True if a batch was put into the outbox. What was held for
  // an interval that ended while nobody looked leaves at the first look.
  bool Step();

  // Whether a look has been taken by a sure clock: before that a new submission could get into a
  // batch whose interval has ended. Thread-safe.
  bool looked() const { return looked_; }

 private:
  struct Moment {
    std::optional<int64_t> interval;  // how many have ended; nothing: the task has none that merge
    bool interval_ended = false;
    bool over = false;
  };

  // Of each task of the catalogue.
  struct Watched {
    std::shared_ptr<const Task> task;
    std::shared_ptr<const Gate> gate;
    Moment moment;
  };
  using WatchedTasks = absl::flat_hash_map<TaskId, Watched>;

  WatchedTasks LookAtTasks(const absl::StatusOr<absl::Time>& now);
  // Takes the periods of streams apart that are over, or whose key nobody has any more.
  void ScatterPeriods(const WatchedTasks& tasks, absl::Time now);
  // Whether something waits to be scattered to this batch, if it is of a stream.
  bool IsIncomplete(const BatchKey& of, const Task& task, const std::vector<HeldInfo>& held) const;
  Moment Look(const CatalogEntry& entry, const Gate& gate, absl::Time now);
  // Whether there is nothing left to wait for, and why.
  std::optional<ExpiryCause> EndOf(const BatchKey& of, const Task& task, const Moment& moment,
                                   const absl::StatusOr<absl::Time>& now) const;
  // `decide` is asked again with what is found to be distinct: fewer may be too few.
  bool Release(const BatchKey& of, const std::shared_ptr<const Task>& task,
               const std::function<Verdict(int64_t submissions)>& decide);
  absl::StatusOr<FakeReports> FakesFor(const BatchKey& of, const std::shared_ptr<const Task>& task,
                                       RandomSource& random) const;
  void Destroy(const BatchKey& of, ExpiryCause cause);
  // The intervals that have been acted upon are not acted upon again.
  void NoteIntervals(const WatchedTasks& tasks, const absl::flat_hash_set<TaskId>& failed);
  void ForgetOldWindows(const Task& task, absl::Time now);

  const Parts parts_;
  prometheus::Counter& batches_;
  prometheus::Counter& submissions_;
  prometheus::Counter& fakes_;
  prometheus::Counter& failures_;
  prometheus::Counter& scattered_;
  prometheus::Gauge& stuck_;
  prometheus::Gauge& last_;
  prometheus::Histogram& seconds_;
  std::atomic<bool> looked_{false};
  bool intervals_unsaved_ = false;  // at the last look
  // Periods that could not be scattered when that was last tried. Where it is in doubt what became
  // of it the store does not tell of it any more.
  absl::flat_hash_set<BatchKey> unscattered_;
  // The window at the last look.
  absl::flat_hash_map<TaskId, uint64_t> windows_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_RELEASER_H_
