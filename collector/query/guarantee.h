// What an answer guarantees to a device whose reports are in it.
#ifndef TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_
#define TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/accounting/composition.h"
#include "common/base/mutex.h"
#include "common/task/task.h"

namespace tombola::collector {

// The message of the same name in collector.proto. Every pair but `one` is for all `submissions` of
// a device, an infinite epsilon with delta 1 where nothing holds.
struct Guarantee {
  int64_t submissions = 1;
  accounting::EpsilonDelta all;
  accounting::EpsilonDelta foreign_10, foreign_50;
  double local_epsilon = 0;      // infinity where the mechanism has none
  accounting::EpsilonDelta one;  // one submission in the smallest batch
  int64_t users = 0;
  std::string method;
  int64_t accounted_users = 0;
  std::string reason;  // why `all` is that much, for people; empty for one submission
};

// What the guarantee of an answer depends on, besides its task.
struct Answered {
  int64_t smallest_batch = 0;  // users of the batch that has the fewest
  // The most of one device that may be in the answer, and in quarantined batches of its time.
  int64_t submissions = 1;
  // The most that one device may have made in the answer's time, whatever became of their batches:
  // who colludes with the shuffler has them all.
  int64_t made = 1;
  // How many of `submissions` may be in batches that were quarantined, and the users of the one of
  // those that has the fewest: they are in no answer, but the collector has opened them.
  int64_t quarantined = 0;
  int64_t smallest_quarantined = 0;
  // Of a stream: of the honest submissions that the noise of a node is sized for, which part each
  // node has at least that the answer is made of, if so many percent of it are foreign. At most 1,
  // and rounded down, so that answers share what is computed.
  double part_10 = 1, part_50 = 1;

  bool operator==(const Answered&) const = default;
};

// Epsilon is the one of the smallest batch, never of the total. OverSeveral
// (common/task/whole_life.h) says what follows for a device that makes several submissions, those
// that were opened in vain included; `one`, and all where there is one submission, is about the
// batches that the answer is made of.
//
// Of a stream it is what the task's noise gives, over all nodes of a period together: `one` for a
// submission, all for the whole life of a device (WholeLife) where it may have made several, and
// nothing where a node that the device is in was opened with fewer than its noise is sized for. If
// more are foreign than it allows for, what the noise of the others adds up to, where a mechanism
// says anything of fewer, of streams whose periods differ in few ways.
absl::StatusOr<Guarantee> GuaranteeFor(const Task& task, const Answered& answered);

// Remembers what was computed: a guarantee takes three searches, an answer should not. Thread-safe.
class Guarantees {
 public:
  absl::StatusOr<Guarantee> For(const Task& task, const Answered& answered);

 private:
  Mutex mutex_;
  // The last one of each task.
  absl::flat_hash_map<TaskId, std::pair<Answered, Guarantee>> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_
