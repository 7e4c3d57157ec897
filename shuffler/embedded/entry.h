// A call on its way to the committer.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_ENTRY_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_ENTRY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "shuffler/digests/digest.h"
#include "shuffler/embedded/inventory.h"
#include "shuffler/store/amounts.h"
#include "shuffler/store/submit_batch.h"

namespace tombola::shuffler {

// One submission of a call, with as many reports as the task allows.
struct EntrySubmission {
  size_t index = 0;                  // in the call
  uint32_t reports = 0;              // how many, in all groups
  absl::Span<const uint8_t> sealed;  // its reports; of a stream in the entry's groups
  size_t first_digest = 0;           // in the entry: of its id, then of its reports
};

// What a submission of a stream says in one batch.
struct EntryGroup {
  uint16_t reports = 0;
  absl::Span<const uint8_t> sealed;
};

// Most have one submission with one report, which need no memory of their own here.
struct Entry {
  SubmitBatch call;
  TaskShape shape;
  AcceptDone done;
  int64_t bytes = 0;  // of memory while it is queued
  absl::InlinedVector<Digest, 2> digests;
  absl::InlinedVector<EntrySubmission, 1> submissions;  // those not rejected from the start
  std::vector<Outcome> outcomes;                        // one for each submission of the call
  // Of a stream: as many for each of `submissions` as the call has, in the same order.
  std::vector<EntryGroup> groups;

  absl::Span<const EntryGroup> GroupsOf(const EntrySubmission& submission) const {
    const size_t each = call.groups.size();
    const auto at = static_cast<size_t>(&submission - submissions.data());
    return absl::MakeConstSpan(groups).subspan(at * each, each);
  }
  // On disk, as Load has them.
  int64_t BytesOf(const EntrySubmission& submission) const {
    return CopiesOf(/*for_period=*/!call.groups.empty()) * submission.reports * shape.sealed_bytes;
  }
  absl::Span<const Digest> DigestsOf(const EntrySubmission& submission) const {
    return absl::MakeConstSpan(digests).subspan(submission.first_digest, submission.reports + 1u);
  }
};

// InvalidArgument unless the lengths of ids, counts and reports agree, and groups are what
// SubmitBatch says.
absl::Status CheckLengths(const SubmitBatch& call, const TaskShape& shape);

// The memory that a call takes while it is queued; its lengths must agree.
int64_t QueuedBytes(const SubmitBatch& call, const TaskShape& shape);

// Fills in digests, submissions and outcomes: rejects what has no report or too many and hashes
// the rest. The costly part of a call, done in the caller's thread.
void DigestEntry(Entry& entry);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_ENTRY_H_
