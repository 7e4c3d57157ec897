// A call on its way to the committer.
#ifndef TOMBOLA_SHUFFLER_STORE_ENTRY_H_
#define TOMBOLA_SHUFFLER_STORE_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "shuffler/store/digest.h"
#include "shuffler/store/inventory.h"
#include "shuffler/store/submit_batch.h"

namespace tombola::shuffler {

// One submission of a call, with as many reports as the task allows.
struct EntrySubmission {
  size_t index = 0;                  // in the call
  uint16_t reports = 0;              // how many
  absl::Span<const uint8_t> sealed;  // its reports
  absl::Span<const Digest> digests;  // of its id, then of its reports
};

// Movable; not copyable, because the submissions point into `digests`.
struct Entry {
  Entry() = default;
  Entry(Entry&&) = default;
  Entry& operator=(Entry&&) = default;

  SubmitBatch call;
  TaskShape shape;
  AcceptDone done;
  int64_t bytes = 0;  // of memory while it is queued
  std::vector<Digest> digests;
  std::vector<EntrySubmission> submissions;  // those that are not rejected from the start
  std::vector<Outcome> outcomes;             // one for each submission of the call
};

// InvalidArgument unless the lengths of ids, counts and reports agree.
absl::Status CheckLengths(const SubmitBatch& call, const TaskShape& shape);

// The memory that a call takes while it is queued; its lengths must agree.
int64_t QueuedBytes(const SubmitBatch& call, const TaskShape& shape);

// Fills in digests, submissions and outcomes: rejects what has no report or too many and hashes the
// rest. The costly part of a call, done in the caller's thread.
void DigestEntry(Entry& entry);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_ENTRY_H_
