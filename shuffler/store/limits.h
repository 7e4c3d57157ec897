// How much the store takes before it asks senders to wait.
#ifndef TOMBOLA_SHUFFLER_STORE_LIMITS_H_
#define TOMBOLA_SHUFFLER_STORE_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

// Of sealed reports that are held for their batch, of all tasks and of one. A task's share of bytes
// and digests is what its share of reports is: held_reports_per_task / held_reports.
struct StoreLimits {
  int64_t held_reports = 100'000'000;
  int64_t held_reports_per_task = 50'000'000;
  int64_t held_bytes = int64_t{32} << 30;    // on disk
  int64_t outbox_bytes = int64_t{32} << 30;  // on disk: released, not yet taken by the collector
  // In memory, 19 to 39 bytes each (digest_index.h): one for each submission and one for each
  // report, held or released, for as long as retries are recognised.
  int64_t digests = 100'000'000;
};

// What a call would add: only what is not there yet.
struct Addition {
  int64_t reports = 0;
  int64_t bytes = 0;
  int64_t digests = 0;
};

// OK if it may be added to what there is. Else ResourceExhausted with a wait and one of the causes
// `held_task`, `held`, `outbox`, `digests_task` or `digests`. Nothing to add is always OK: what is
// held already can be acknowledged however full the store is.
absl::Status CheckLimits(const StoreLimits& limits, const Load& task, const Load& all,
                         int64_t task_digests, int64_t all_digests, const Addition& addition);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_LIMITS_H_
