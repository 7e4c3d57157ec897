// When a batch may leave.
#ifndef TOMBOLA_SHUFFLER_BATCH_GATE_H_
#define TOMBOLA_SHUFFLER_BATCH_GATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/task/task.h"

namespace tombola::shuffler {

enum class Verdict {
  kHold,     // not yet
  kRelease,  // the target holds, and it is time
  kDestroy,  // the task is over and the target does not hold: it never will
};

// Decides for one task by counts and the clock alone. Guarantees that no batch leaves for which the
// accountant does not certify the task's target at the actual number of submissions less the
// dishonest share. The product over the nodes of a stream is certified once, at the honest
// submissions that their noise is sized for; a node leaves with no fewer, and more submissions
// bring more noise. Does not know whether reports are good: the collector checks that again with
// what it could open. Immutable and thread-safe.
class Gate {
 public:
  // FailedPrecondition: the task's target cannot be met by any batch.
  static absl::StatusOr<Gate> Create(std::shared_ptr<const Task> task);

  // The smallest number of submissions that may leave together; of a stream, the most that a node
  // needs.
  int64_t needed() const { return needed_; }
  // The same for batches of this part: of a stream, of this node.
  int64_t NeededIn(uint64_t part) const;

  // `over`: the task is closed or has expired, or the batch's period or key is over.
  // `interval_ended`: an interval has ended since the last decision; that is for tasks that let
  // them merge. The batch of a period does not leave before the period is over, however many are
  // held: those that come after it would be too few to follow. Nor does a stream's node before its
  // last period is over.
  Verdict Decide(int64_t held, uint64_t part, bool interval_ended, bool over) const;

  // How many intervals have ended by then.
  int64_t IntervalAt(absl::Time now) const;

  // The epsilon that would hold for this many submissions; nothing below two honest ones, or of a
  // stream, where it takes all nodes of a period to say.
  std::optional<double> EpsilonFor(int64_t held) const;
  // Why a batch of this many, of this part, is still held, in words.
  std::string Explain(int64_t held, uint64_t part) const;
  // The same of what a stream holds for all nodes of a period together.
  std::string ExplainPeriod(uint64_t period, absl::Time now) const;

 private:
  Gate(std::shared_ptr<const Task> task, int64_t needed)
      : task_(std::move(task)), needed_(needed) {}

  bool TargetHolds(int64_t held, uint64_t part) const;

  std::shared_ptr<const Task> task_;
  int64_t needed_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_BATCH_GATE_H_
