// One call's submissions, and what became of them.
#ifndef TOMBOLA_SHUFFLER_STORE_SUBMIT_BATCH_H_
#define TOMBOLA_SHUFFLER_STORE_SUBMIT_BATCH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/base/batch_key.h"

namespace tombola::shuffler {

enum class Outcome {
  kAccepted,
  // Its id, or one of its sealed reports, was taken before and is durable.
  kDuplicate,
  // Not stored: it has no report (or a group of it none), more than the task allows, or one report
  // twice.
  kRejected,
};

// One of the batches that a submission of a stream is in.
struct NodeKey {
  uint64_t node = 0;  // the batch's part
  KeyId key{};

  auto operator<=>(const NodeKey&) const = default;
};

// What the submissions of a call say there.
struct SubmitGroup {
  NodeKey of;
  absl::Span<const uint32_t> report_counts;
  absl::Span<const uint8_t> sealed_reports;
};

// The memory stays the caller's, unchanged until the callback has run.
struct SubmitBatch {
  BatchKey of;
  uint32_t window = 0;
  absl::Span<const uint8_t> submission_ids;  // 16 bytes each, back to back
  absl::Span<const uint32_t> report_counts;  // empty: one each
  absl::Span<const uint8_t> sealed_reports;  // of all submissions in their order, back to back
  // Of a stream, whose part is then a period and whose key is the first node's: in ascending order,
  // the first is the node of that number. Counts and reports stand here and not above.
  std::vector<SubmitGroup> groups = {};
};

// One outcome for each submission, in order; or why nothing of the call was acknowledged.
using AcceptDone = std::function<void(absl::StatusOr<std::vector<Outcome>>)>;

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_SUBMIT_BATCH_H_
